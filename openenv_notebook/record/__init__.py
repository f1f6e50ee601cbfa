"""What happened in a session: steps and episodes, as they came."""
