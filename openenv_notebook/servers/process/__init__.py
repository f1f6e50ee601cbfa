"""Servers in processes of their own: projects, apps, containers."""
