"""The query engine, document filters, and lookup of documents, facts and entities."""
