"""From the schemas of a document to what arguments are checked against, and what a model reads."""
