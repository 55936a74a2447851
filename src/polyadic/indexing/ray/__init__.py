"""Index on a Ray cluster: the same pipeline as on one machine, run by workers on many hosts (docs/ray.md)."""
