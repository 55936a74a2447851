"""Indexing on a cluster of Ray: the same work as on one machine, done by workers on many (docs/ray.md)."""
