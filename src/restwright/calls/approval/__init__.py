"""Policies, approvals bound to a request, and destinations."""
