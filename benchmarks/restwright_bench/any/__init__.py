"""Worlds, tasks and judges for any OpenAPI document: read from its paths and schemas alone."""
