"""Small collections of documents with questions: what a newcomer's first folder is like."""
