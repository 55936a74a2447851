"""Domain types as frozen values, identity of documents and entities, aggregation of evidence."""
