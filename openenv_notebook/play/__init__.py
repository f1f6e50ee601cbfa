"""Policies that play episodes."""
