"""Any version of the specification in the canonical form, OpenAPI 3.2."""

from __future__ import annotations

from restwright.openapi.upgrade_schema import Specification, upgraded

__all__ = ["Specification", "upgraded"]
