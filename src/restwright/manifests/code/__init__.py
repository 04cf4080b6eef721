"""
Code of manifests, out of process: a module, a notebook, and calculations without either.

Nothing is run by importing this, nor before somebody calls `call()` or `run()`. Whether a manifest
may have code is for the caller to ask the user first (`--allow-code`).
"""

from __future__ import annotations

from restwright.manifests.code.calculator import Calculator
from restwright.manifests.code.limits import ModuleSettings, NotebookSettings, ProcessLimits
from restwright.manifests.code.module import Module
from restwright.manifests.code.notebook import Notebook
from restwright.manifests.code.notebook_tools import NOTEBOOK_TOOLS, cell_from_call, query_from_call
from restwright.manifests.code.results import CallResult, CellResult, Image, format_for_model

__all__ = [
    "NOTEBOOK_TOOLS",
    "Calculator",
    "CallResult",
    "CellResult",
    "Image",
    "Module",
    "ModuleSettings",
    "Notebook",
    "NotebookSettings",
    "ProcessLimits",
    "cell_from_call",
    "format_for_model",
    "query_from_call",
]
