"""Whose turn it is in a session of several agents."""
