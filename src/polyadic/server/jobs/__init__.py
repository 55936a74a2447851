"""Indexing jobs: what they are, where they are kept, who runs them."""
