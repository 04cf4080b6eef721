"""Which addresses, origins, proxies and routes a request may take."""
