"""Workspaces that are brought from one embedding model to another, and what tells whether they were."""

import sqlite3
from pathlib import Path
from typing import Any

from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from tests.model_server import ModelServer

HASHING = EmbeddingSettings(model="hashing")
# Short windows and chunks of several: other ones than the hashing embedder, which counts words, would cut.
SMALL = ChunkingSettings(tokens=120, overlap=0)
DIMENSION = 64


def serving(**settings: Any) -> ModelServer:
    """A server with two embedding models, of vectors shorter than those of the hashing embedder."""
    return ModelServer(embedding_models=("hashing", "other"), dimension=DIMENSION, **settings)


def behind(server: ModelServer, name: str = "hashing") -> EmbeddingSettings:
    """The embedding model of a server; a call that fails is not made again."""
    return EmbeddingSettings(
        model="endpoint", name=name, base_url=server.url, key_variable="", retries=0, window=40, prompt_price=1.0
    )


def settings(embedding: EmbeddingSettings) -> Settings:
    return Settings(embedding=embedding, chunking=SMALL)


def rows(folder: Path, sql: str) -> list[Any]:
    """What a query finds in the file of a store."""
    connection = sqlite3.connect(folder / "store.sqlite")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def vectors(folder: Path) -> list[list[Any]]:
    """Every vector, byte for byte, with the facts, forms and windows that point at it; whatever the numbers of rows."""
    return [
        rows(folder, f"{sql} ORDER BY 1, 2")
        for sql in (
            "SELECT digest, uses, data FROM vector",
            "SELECT f.digest, v.digest FROM fact f JOIN vector v ON v.id = f.vector",
            "SELECT e.key, s.value, v.digest FROM attribute_value s JOIN entity e ON e.id = s.entity"
            " JOIN vector v ON v.id = s.vector",
            "SELECT c.digest, w.ordinal, v.digest FROM passage_window w JOIN chunk c ON c.id = w.chunk"
            " JOIN vector v ON v.id = w.vector",
        )
    ]


def gathered(folder: Path) -> int:
    """How many vectors are gathered for a model that the store has not been switched to."""
    found: int = rows(folder, "SELECT count(*) FROM new_vector")[0][0]
    return found
