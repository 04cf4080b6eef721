"""What is served: documents, manifests and functions, read again when they change."""
