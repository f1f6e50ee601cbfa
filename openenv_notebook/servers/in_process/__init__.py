"""Environment classes of the official package, served in this process."""
