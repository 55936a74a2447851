"""Small stores with a hierarchy written down by names: what each summary covers, and what each community holds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model import identity
from polyadic.model.aggregation import tally
from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Membership, Report, ReportFinding, Summary
from polyadic.storage.protocol import Vectors
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stories import FactsByDocument, documents_of

BY = "by hand"


def with_hierarchy(
    documents: FactsByDocument,
    summaries: Mapping[str, Sequence[str]],
    communities: Sequence[Sequence[str]] = (),
    by: str = BY,
    described: Mapping[str, Mapping[str, float]] | None = None,
) -> MemoryReader:
    """A store in which summaries cover entities, or summaries named before them; facts are as in stories.py.

    Each community has a report that is named after its first member, with a finding for each fact whose entities are
    all in it. A community that is told after one that holds all of its members is a part of it. ``described`` are
    strengths of memberships, by summary and member; their descriptions name the member.
    """

    def embed(texts: Sequence[str]) -> Vectors:
        return run_coroutine(HashingEmbedder().embed(texts))

    read = documents_of(documents)
    ids: dict[str, str] = {}
    layers: dict[str, int] = {}
    clusters = []
    for name, members in summaries.items():
        layer = max(layers.get(member, 0) for member in members)
        held = tuple(sorted(id_of(member, ids) for member in members))
        cluster = Cluster(layer, held, held)
        memberships = tuple(
            Membership(id_of(member, ids), f"{member} is part.", strength)
            for member, strength in (described or {}).get(name, {}).items()
        )
        summary = Summary(cluster.id, layer + 1, name, "theme", f"All about {name}.", held, by, memberships)
        clusters.append(replace(cluster, summaries=(summary,)))
        ids[name], layers[name] = summary.id, layer + 1
    facts = tally((document.id, evidence) for document, _, evidence in read).facts
    built: list[Community] = []
    for members in communities:
        held = tuple(sorted(id_of(member, ids) for member in members))
        around = [one for one in built if set(held) <= set(one.members)]
        keys = {identity.entity_key(member) for member in members}
        findings = tuple(
            ReportFinding(said.text if by == "extractive" else f"It is found that {said.text}", (fact,))
            for fact, said in sorted(facts.items())
            if set(said.participants) <= keys
        )
        report = Report(f"The world of {members[0]}", f"What {members[0]} is about.", 5.0, findings, by)
        parent = around[-1].id if around else ""
        built.append(Community(len(around), held, parent, "basis", (), report, len(report.text.split())))
    hierarchy = Hierarchy(tuple(clusters), tuple(built))
    return MemoryReader(read, embed, hierarchy=hierarchy)


def id_of(name: str, summaries: Mapping[str, str]) -> str:
    """The identifier of a summary, or else of an entity, with this name."""
    return summaries.get(name, identity.entity_id(identity.entity_key(name)))
