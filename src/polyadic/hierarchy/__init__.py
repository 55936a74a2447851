"""Clusters, communities, and their summaries and reports (HiRAG's HiIndex)."""
