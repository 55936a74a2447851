"""Retrievers for other frameworks, one per file; each imports its framework, nothing else here does."""
