"""Clients of a session: asynchronous and blocking, and how they are made."""
