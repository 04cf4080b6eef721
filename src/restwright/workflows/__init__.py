"""Workflows over APIs, as Arazzo describes them: read, made into tools, and written from runs."""

from restwright.workflows.load import load_workflows

__all__ = ["load_workflows"]
