"""Servers of the Model Context Protocol, whose tools are in a catalog beside operations."""
