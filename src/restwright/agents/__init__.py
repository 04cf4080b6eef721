"""From a question and a catalog to an answer with its trace."""
