"""Runs of agents that commands share."""
