"""A world of films and series under the first document of RestBench; its facts are invented."""
