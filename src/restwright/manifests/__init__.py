"""Manifest files and folders become configured agents."""
