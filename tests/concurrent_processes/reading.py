"""Reads a workspace that others change: ``python -m tests.concurrent_processes.reading PLACE TOLD SECONDS``.

Whatever it gets must be of one committed state, and no older than what had been committed before it asked. Ends with
how often it read, as JSON; with an assertion where a state was mixed.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from polyadic.errors import NotFound
from polyadic.workspace import Workspace
from tests.concurrent_processes.letters import GROUP, LOOSE, SENTENCES, SETTINGS, checked, letter, version_in
from tests.support.lookups import chunks_of

QUESTION = "What did Mira Falk write to Ilse Orth from Brno about part 3 of Group 4?"
Look = Callable[[Workspace], set[int]]
"""Reads something, and returns the versions of the group that it was of: one at most."""


def main(place: str, version_file: Path, seconds: float) -> None:
    looks: dict[str, Look] = {
        "everything": everything,
        "status": status,
        "show": show,
        **{method: retrieving(method) for method in ("walk", "chunks", "hypergraph")},
        "query": querying,
    }
    counted: Counter[str] = Counter()
    last = 0
    with Workspace(place, SETTINGS) as kb:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name, look in looks.items():
                committed = int(version_file.read_text())
                versions = look(kb)
                assert len(versions) <= 1, f"{name} saw versions {sorted(versions)} at once"
                # Who writes tells of a version when it is committed already, so more may have been seen than told.
                least = max(committed, last)
                assert min(versions, default=least) >= least, f"{name} saw an older state"
                last = max(versions | {last})
                counted[name] += 1
    print(json.dumps({"versions": last, **counted}))


def everything(kb: Workspace) -> set[int]:
    """All documents, chunks, facts and places of one state, held against each other."""
    with kb.store().read() as reader:
        records = reader.records.documents()
        present = {record.source for record in records}
        assert set(GROUP) <= present <= {*GROUP, *LOOSE}
        versions = {record.source: version_in(reader.records.document(record.id).text) for record in records}
        for record in records:
            assert record.facts == SENTENCES
            text = letter(record.source, versions[record.source]).text
            assert all(text[c.span.start : c.span.end] == c.text for c in chunks_of(reader, record.id))
        facts = reader.rows("fact")
        assert len(facts) == SENTENCES * len(records)
        for fact, places in zip(reader.facts(facts), reader.fact_places(facts), strict=True):
            checked(places)
            assert [version_in(place.quote) for place in places] == [version_in(fact.text)]
            assert all(place.page for place in places)
            assert len(fact.entities) >= 4
        return {versions[source] for source in GROUP}


def status(kb: Workspace) -> set[int]:
    counts = kb.status().counts
    assert len(GROUP) <= counts.documents <= len(GROUP) + len(LOOSE)
    assert counts.facts == counts.evidence_with_fact == SENTENCES * counts.documents
    return set()


def show(kb: Workspace) -> set[int]:
    for source in LOOSE:
        try:
            document = kb.show_document(source).document
        except NotFound:
            continue
        assert document.text == letter(source, version_in(document.text)).text
    text = kb.show_document(GROUP[0]).document.text
    assert text == letter(GROUP[0], version_in(text)).text
    return {version_in(text)}


def retrieving(method: str) -> Look:
    def look(kb: Workspace) -> set[int]:
        knowledge = kb.retrieve(QUESTION, method)
        assert knowledge.items
        return checked(place for item in knowledge.items for place in item.places)

    return look


def querying(kb: Workspace) -> set[int]:
    answer = kb.query(QUESTION)
    assert answer.answered
    return checked(citation.place for citation in answer.citations)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]))
