"""Answer sentence selection: a cross-encoder that judges whether a sentence answers a question."""
