"""From files, overlays and references between files to one document."""
