"""Words, prose, media types and JSON bytes."""
