"""Retrievers for other frameworks. Each is one module, and the only one that imports its framework."""
