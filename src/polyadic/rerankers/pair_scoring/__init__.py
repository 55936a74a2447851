"""Cross-encoders of pairs of texts, made from the embedder's weights and an adapter each."""
