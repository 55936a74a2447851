"""Datasets, measures, resumable evaluation runs and their reports."""
