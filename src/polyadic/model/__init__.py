"""Immutable domain types, identity of documents and entities, aggregation of evidence."""
