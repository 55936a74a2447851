"""The steps from paths to documents: which files there are, what their bytes say, what each format means."""
