"""Retrievers for other frameworks, one a file; each needs that framework, and nothing else here does."""
