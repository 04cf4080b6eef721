"""The page of all results: tables, plots, and what others have published."""
