"""
Code of manifests, out of process: a module, a notebook, and calculations without either.

Nothing is run by importing this, nor before somebody calls `call()` or `run()`. Whether a manifest
may have code is for the caller to ask the user first (`--allow-code`).
"""

from __future__ import annotations

from restwright.manifests.code.calculator import Calculator
from restwright.manifests.code.limits import Limits, ModuleSettings, NotebookSettings
from restwright.manifests.code.module import Module
from restwright.manifests.code.notebook import Notebook
from restwright.manifests.code.notebook_tools import FUNCTIONS, cell_of, query_of
from restwright.manifests.code.results import CallResult, CellResult, Image, for_model

__all__ = [
    "FUNCTIONS",
    "Calculator",
    "CallResult",
    "CellResult",
    "Image",
    "Limits",
    "Module",
    "ModuleSettings",
    "Notebook",
    "NotebookSettings",
    "cell_of",
    "for_model",
    "query_of",
]
