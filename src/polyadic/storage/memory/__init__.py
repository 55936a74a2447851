"""One committed state of a store as arrays: vectors, numbers and incidence, and what is near to a question."""
