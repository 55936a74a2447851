"""Answers, quoted or written by a language model, and their citations."""
