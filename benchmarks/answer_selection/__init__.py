"""Train the cross-encoder for answer sentence selection."""
