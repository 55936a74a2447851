"""In-memory arrays of one committed state (vectors, statistics, incidence) and searching them."""
