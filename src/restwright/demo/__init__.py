"""
A small real API to try things on: an online shop with its own server, OpenAPI document and data.

`restwright.demo.server` starts it; the other modules are the shop itself.
"""
