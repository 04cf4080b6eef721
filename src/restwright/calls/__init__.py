"""From a tool and a model's arguments to a request, a response and a result."""
