"""Runs of several machines, kept in tables of PostgreSQL."""
