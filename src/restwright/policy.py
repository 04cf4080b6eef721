"""Who may change something: what is called at once, what is asked about, and how it is asked."""

from __future__ import annotations

from restwright.calls.approval.approval import (
    Approve,
    approve_all,
    format_approval_question,
    hash_request,
    is_write,
    refuse_all,
)
from restwright.calls.approval.policy import ALLOW, CONFIRM, READ_ONLY, Decision, Policy, PolicyName
from restwright.calls.auth.connection import mask_request
from restwright.toolboxes.pending import Pending
from restwright.tools.safety import OperationClass, classify_operation

__all__ = [
    "ALLOW",
    "CONFIRM",
    "READ_ONLY",
    "Approve",
    "Decision",
    "OperationClass",
    "Pending",
    "Policy",
    "PolicyName",
    "approve_all",
    "classify_operation",
    "format_approval_question",
    "hash_request",
    "is_write",
    "mask_request",
    "refuse_all",
]
