"""Embedders: the built-in MiniLM model on ONNX Runtime, endpoints, and hashing for tests."""
