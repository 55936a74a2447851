"""From a question to an answer: the query engine, document filters and lookup."""
