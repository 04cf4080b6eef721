"""How one operation is called for one task: ids, arguments, and the value in the response."""
