"""Split documents into chunks, and chunks into parts that fit the embedder."""
