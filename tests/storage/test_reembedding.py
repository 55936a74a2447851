"""What every store promises of a change of its embedding model."""

from contextlib import closing

import numpy as np
import pytest
from numpy.typing import NDArray

from polyadic.errors import EmbedderMismatch, StoreBusy
from polyadic.model.hierarchy import Hierarchy, Rearrangement
from polyadic.model.types import Usage
from polyadic.storage.protocol import LedgerCall, ReembeddingWriter, Store
from tests.storage.hierarchies import by_hand, rearrange
from tests.support.store_driver import document, publish, withdraw
from tests.support.stores import Opener
from tests.support.vectors import DIMENSION, vector, vectors

ADA = ("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage", "London"])
ENGINE = ("Charles Babbage designed the Analytical Engine.", ["Charles Babbage", "the Analytical Engine"])
NOTHING_PAID = LedgerCall("embed", "new vectors", Usage(), 0.0)


@pytest.fixture
def store(open_store: Opener) -> Store:
    """Filled by one model, opened for none in particular."""
    publish(open_store("kb", "old vectors"), "ada", [ADA, ENGINE])
    return open_store("kb", None)


def longer(texts: list[str]) -> NDArray[np.float32]:
    """The old vectors with as many zeros behind them: their cosines are the same."""
    return np.concatenate([vectors(texts), np.zeros((len(texts), DIMENSION), np.float32)], axis=1)


def gather(gathering: ReembeddingWriter, texts: list[str]) -> None:
    lacking = gathering.texts_without_vectors(texts)
    gathering.put(lacking, longer(lacking), NOTHING_PAID)


def chunk_of(*statements: tuple[str, list[str]]) -> tuple[str, str]:
    """Identifier and text of the chunk of the document ``ada``."""
    _, (chunk,), _ = document("ada", statements)
    return chunk.id, chunk.text


def switch(store: Store, gathering: ReembeddingWriter, *windows: str) -> None:
    chunk, _ = chunk_of(ADA, ENGINE)
    with store.exclusive_session():
        gathering.switch({chunk: [gathering.digest(text) for text in windows]})


def test_texts_to_embed_are_those_of_facts_and_forms(store: Store) -> None:
    with store.reembedding_session("new vectors") as gathering:
        texts = list(gathering.texts())
        assert sorted(texts) == sorted({ADA[0], ENGINE[0], *ADA[1], *ENGINE[1]})
        assert gathering.texts_without_vectors([*texts, *texts]) == texts
        gather(gathering, texts[:2])
        assert gathering.texts_without_vectors(texts) == texts[2:]
        assert gathering.count() == 2


def test_the_switch_changes_vectors_and_nothing_else(store: Store, open_store: Opener) -> None:
    _, text = chunk_of(ADA, ENGINE)
    halves = [ADA[0], text]
    with store.reembedding_session("new vectors") as gathering, store.read() as before:
        counts = before.records.counts()
        gather(gathering, [*gathering.texts(), *halves])
        switch(store, gathering, *halves)
        # Whoever was reading goes on reading what there was.
        assert before.nearest("fact", vector(ADA[0]), 1).scores[0] == pytest.approx(1, abs=3e-4)
        assert before.records.counts() == counts
        assert gathering.count() == 0
    assert store.problems() == []
    assert store.filled_with() == "new vectors"
    with closing(open_store("kb", "new vectors")) as new, new.read() as reader:
        # The first window is the fact's text as well, so one vector serves both.
        assert reader.records.counts().vectors == counts.vectors
        assert reader.records.counts().dimension == 2 * DIMENSION
        for node_type in ("fact", "chunk"):
            assert reader.nearest(node_type, longer([ADA[0]])[0], 1).scores[0] == pytest.approx(1, abs=3e-4)


@pytest.mark.parametrize("left_out", [ADA[0], "London", "the window"])
def test_switch_needs_all_vectors(store: Store, left_out: str) -> None:
    with store.reembedding_session("new vectors") as gathering:
        gather(gathering, [text for text in [*gathering.texts(), "the window"] if text != left_out])
        with pytest.raises(LookupError, match="new vectors"):
            switch(store, gathering, "the window")
    assert store.filled_with() == "old vectors"
    assert store.problems() == []
    with store.read() as reader:
        assert reader.nearest("fact", vector(ADA[0]), 1).scores[0] == pytest.approx(1, abs=3e-4)


def test_collected_vectors_are_kept_for_their_model_only(store: Store) -> None:
    with store.reembedding_session("new vectors") as gathering:
        gather(gathering, [ADA[0]])
    with store.reembedding_session("new vectors") as gathering:
        assert gathering.count() == 1
    with store.reembedding_session("newer vectors") as gathering:
        assert gathering.count() == 0


def test_vectors_of_another_dimension_start_over(store: Store) -> None:
    with store.reembedding_session("new vectors") as gathering:
        assert not gathering.put([ADA[0]], longer([ADA[0]]), NOTHING_PAID)
        assert not gathering.put(["London"], longer(["London"]), NOTHING_PAID)
        assert gathering.put([ENGINE[0]], vectors([ENGINE[0]]), NOTHING_PAID)
        assert gathering.texts_without_vectors([ADA[0], "London", ENGINE[0]]) == [ADA[0], "London"]


def test_reembedding_cost_is_in_the_ledger(store: Store) -> None:
    with store.reembedding_session("new vectors") as gathering:
        for usage in (Usage(2, 100, 0, 0.5), Usage(1, 50, 0, 0.25)):
            gathering.put([], np.zeros((0, 0), np.float32), LedgerCall("embed", "new vectors", usage, 2.0))
    with store.read() as reader:
        usage, seconds = reader.records.spent()["embed", "new vectors"]
    assert (usage.prompt_tokens, usage.money, seconds) == (150, 0.75, 4.0)


def test_one_reembedding_at_a_time_without_blocking_writers(store: Store, open_store: Opener) -> None:
    with store.reembedding_session("new vectors") as gathering, closing(open_store("kb", "old vectors")) as writer:
        with pytest.raises(StoreBusy, match="is being changed already"), store.reembedding_session("newer vectors"):
            pass
        with writer.exclusive_session():
            gather(gathering, [ADA[0]])
        withdraw(writer, document("ada", [ADA, ENGINE])[0])
        assert list(gathering.texts()) == []
        with store.exclusive_session():
            gathering.switch({})
    assert store.problems() == []


def test_stores_opened_before_the_switch_get_an_error(store: Store, open_store: Opener) -> None:
    _, text = chunk_of(ADA, ENGINE)
    with closing(open_store("kb", "old vectors")) as old, store.reembedding_session("new vectors") as gathering:
        gather(gathering, [*gathering.texts(), text])
        switch(store, gathering, text)
        for using in (old.read, old.write):
            with pytest.raises(EmbedderMismatch, match="from the embedding model old vectors to new vectors"), using():
                pass
        with pytest.raises(EmbedderMismatch, match="polyadic reembed"):
            open_store("kb", "old vectors")


def test_summaries_get_new_vectors_and_clusters_need_a_rebuild(store: Store, open_store: Opener) -> None:
    _, text = chunk_of(ADA, ENGINE)
    with closing(open_store("kb", "old vectors")) as old:
        with old.read() as reader:
            cluster, community = by_hand(reader)
        rearrange(old, Rearrangement([cluster], [community], (), [0.5], 4, 1))
    form = "Computing: Who computes."
    with store.reembedding_session("new vectors") as gathering:
        texts = [*gathering.texts(), text]
        assert texts.count(form) == 1
        gather(gathering, [one for one in texts if one != form])
        with pytest.raises(LookupError, match="summaries have no vector of new vectors"):
            switch(store, gathering, text)
        gather(gathering, texts)
        switch(store, gathering, text)
    assert store.problems() == []
    with closing(open_store("kb", "new vectors")) as new, new.read() as reader:
        assert reader.hierarchy_reader().nearest(longer([form])[0], 1).scores[0] == pytest.approx(1, abs=3e-4)
        assert reader.records.hierarchy() == Hierarchy((cluster,), (community,), (0.5,), 0, 1)
