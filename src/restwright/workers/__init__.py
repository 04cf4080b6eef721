"""Queues of runs over a journal on PostgreSQL, and the workers that take them up."""
