"""Runs and conversations on disk, that can be taken up again."""
