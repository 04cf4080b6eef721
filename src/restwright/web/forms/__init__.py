"""A form for the arguments of a tool: made of its schema, and read back along it."""
