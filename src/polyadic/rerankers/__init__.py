"""Rerankers: endpoints and local cross-encoders."""
