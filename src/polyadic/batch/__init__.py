"""Requests to a language model as files, for batch APIs, and their replies read back."""
