"""The indexing pipeline: load, chunk, extract, aggregate, embed, publish."""
