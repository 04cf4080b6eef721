"""Calls of tools: sent, agreed to, kept and written down."""
