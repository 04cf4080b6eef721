"""From a request to a bounded response. The only package that opens a connection."""
