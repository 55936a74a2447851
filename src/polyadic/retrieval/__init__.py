"""Retrieval methods and the steps that they are built from."""
