"""What each role of a model is asked, and what becomes of its reply."""
