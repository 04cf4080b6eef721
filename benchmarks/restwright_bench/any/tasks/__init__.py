"""Tasks over a world, with what their answers must hold and what they may change."""
