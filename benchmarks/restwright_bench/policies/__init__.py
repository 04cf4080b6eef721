"""Who answers the queries: what knows the right calls, what knows nothing, and what is measured."""
