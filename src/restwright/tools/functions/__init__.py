"""Python functions and the methods of objects as tools: described by their signatures, checked."""
