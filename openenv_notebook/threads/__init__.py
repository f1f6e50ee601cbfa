"""Threads and the one private loop: they know nothing of environments."""
