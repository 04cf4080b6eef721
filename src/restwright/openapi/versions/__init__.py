"""Swagger 2.0, OpenAPI 3.0 and 3.1, said in the words of OpenAPI 3.2."""
