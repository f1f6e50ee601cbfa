"""The server that needs no package but this one."""
