"""How much room a workspace takes is told from some of its rows, and hardly otherwise than from all."""

import pytest

from polyadic.storage.postgres import size_estimate
from tests.support.store_driver import publish_all
from tests.support.stores import rows_of, stores

TABLES = (
    "fact",
    "entity",
    "attribute_value",
    "entity_alias",
    "participation",
    "statement",
    "search_vector",
    "vector",
    "chunk",
    "passage_window",
)


def test_size_is_estimated_from_sampled_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    with stores("postgres") as open_store:
        store, other = open_store("kb"), open_store("other")
        assert store.size() == 0
        said = [(f"Ada met Person {n % 90} about engine {n}.", ["Ada", f"Person {n % 90}"]) for n in range(400)]
        documents = [(f"d{first}", said[first : first + 10], "") for first in range(0, len(said), 10)]
        publish_all(store, documents)
        rows = sum(1 for _ in rows_of(store, TABLES))
        whole = store.size()
        assert 50 * rows < whole < 500 * rows
        monkeypatch.setattr(size_estimate, "SAMPLE", 30)
        assert store.size() == pytest.approx(whole, rel=0.3)
        assert other.size() == 0
