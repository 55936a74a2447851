"""Serve an embedder over HTTP to systems that run in an environment of their own."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.embeddings.embedder import Embedder


@contextmanager
def served(embedder: Embedder) -> Iterator[str]:
    """Yield the URL of a server that takes a JSON list of texts, and replies with their vectors as bytes (float32)."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            vectors = run_coroutine(embedder.embed(texts)).astype(np.float32).tobytes()
            self.send_response(200)
            self.send_header("Content-Length", str(len(vectors)))
            self.end_headers()
            self.wfile.write(vectors)

        def log_message(self, format: str, *args: object) -> None:
            """Print nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
