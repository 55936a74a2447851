"""Web page: static files for a browser. The page gets its data from the API, like any other client."""
