"""The page: files for a browser, and nothing else. What it shows it asks the API for, like any other client."""
