"""Batch files: write language model requests for batch APIs, and read the responses."""
