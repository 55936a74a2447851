"""Cut documents into chunks, and chunks into windows that fit the embedder."""
