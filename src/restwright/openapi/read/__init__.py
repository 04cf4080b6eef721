"""From the canonical form to values. The keys of OpenAPI are known here alone."""
