"""A server for the resources of a document, in this process: state, handlers, checked responses."""
