"""Hierarchies over whatever a store holds, drawn at random, and steps from one to the next."""

import random
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace

from polyadic.model.hierarchy import Cluster, Community, Membership, Rearrangement, Report, ReportFinding, Summary
from polyadic.storage.protocol import Reader, Store
from tests.support.vectors import vectors

ALL = 1_000


def by_hand(reader: Reader) -> tuple[Cluster, Community]:
    """A cluster and a community over the entities of the first fact, made from its words."""
    entities, facts = ids_of(reader)
    first = reader.rows("fact")[:1]
    fact = facts[int(first[0])]
    members = tuple(sorted(entities[row] for row in reader.links("fact_entities", first).targets.tolist()))
    cluster = Cluster(0, members, members[:1], (fact, *members))
    described = (Membership(members[0], "“It” computes.", 8.5),)
    summary = Summary(cluster.id, 1, "Computing", "field", "Who computes.", members, "a model", described)
    report = Report("Machines", "They count.", 7.5, (ReportFinding("They count fast.", (fact,)),), "a model")
    held = tuple(sorted((*members, summary.id)))
    community = Community(0, held, "", "of this", (fact, summary.id), report, 12)
    return replace(cluster, summaries=(summary,)), community


def words_of(reader: Reader) -> dict[str, tuple[str, ...]]:
    """What all entities, facts and summaries say, by identifier."""
    return ground_of(reader) | summary_words(reader.records.hierarchy().clusters)


def ground_of(reader: Reader) -> dict[str, tuple[str, ...]]:
    """What entities and facts say, by identifier."""
    entities = reader.entities(reader.rows("entity"))
    facts = reader.facts(reader.rows("fact"))
    words: dict[str, tuple[str, ...]] = {one.id: (one.name, one.type, one.description) for one in entities}
    return words | {fact.id: (fact.text,) for fact in facts}


def ids_of(reader: Reader) -> tuple[dict[int, str], dict[int, str]]:
    """Identifiers of all entities and all facts of an unscoped reader, by row."""
    entities, facts = reader.rows("entity"), reader.rows("fact")
    return (
        {row: one.id for row, one in zip(entities.tolist(), reader.entities(entities), strict=True)},
        {row: one.id for row, one in zip(facts.tolist(), reader.facts(facts), strict=True)},
    )


def summary_words(clusters: Iterable[Cluster]) -> dict[str, tuple[str, ...]]:
    return {s.id: (s.name, s.type, s.description) for cluster in clusters for s in cluster.summaries}


@dataclass
class Drawing:
    """Draws clusters and communities of what there is, whose words are those of their sources."""

    random: random.Random
    words: dict[str, tuple[str, ...]]
    facts: Sequence[str]

    def cluster(self, layer: int, members: Sequence[str]) -> Cluster:
        held = tuple(sorted(members))
        sources = self.sources(held)
        cluster = Cluster(layer, held, tuple(self.some(held)), sources)
        text = self.text(sources)
        names = [f"{text[:12]} {n}" for n in range(self.random.randint(1, 2))]
        summaries = tuple(
            Summary(cluster.id, layer + 1, name, "theme", text, tuple(sorted(self.some(held, 2))), "by hand")
            for name in names
        )
        return replace(cluster, summaries=summaries)

    def community(self, level: int, members: Sequence[str], parent: str = "") -> Community:
        held = tuple(sorted(members))
        if self.random.random() < 0.2:
            return Community(level, held, parent)
        sources = self.sources(held)
        facts = tuple(one for one in sources if one in self.facts)
        report = Report("A title", self.text(sources), 5.0, (ReportFinding("It rests on facts.", facts),), "by hand")
        return Community(level, held, parent, "basis", sources, report, 7)

    def layer(self, layer: int, members: Sequence[str]) -> list[Cluster]:
        """Clusters that may share members."""
        if len(members) < 2:
            return []
        drawn = [self.cluster(layer, self.some(members, 2)) for _ in range(self.random.randint(1, 3))]
        return list({cluster.id: cluster for cluster in drawn}.values())

    def some(self, of: Sequence[str], fewest: int = 0) -> list[str]:
        return self.random.sample(list(of), self.random.randint(min(fewest, len(of)), len(of)))

    def sources(self, members: Sequence[str]) -> tuple[str, ...]:
        return (*self.some(members), *self.some(self.facts))

    def text(self, sources: Sequence[str]) -> str:
        return " ".join(word for source in sources for word in self.words[source])


def drawn(
    reader: Reader, seed: int, kept: Sequence[Cluster] = (), ground: Container[str] | None = None
) -> Rearrangement:
    """A new hierarchy of two layers, or two more layers of it over those clusters of entities that are kept.

    It rests on the entities and facts of ``ground``, or on all of them.
    """
    words = words_of(reader)
    entities, facts = ([one for one in ids.values() if ground is None or one in ground] for ids in ids_of(reader))
    drawing = Drawing(random.Random(seed), words, facts)
    lower = drawing.layer(0, entities)
    below = [*lower, *(one for one in kept if one.id not in {new.id for new in lower})]
    words |= summary_words(below)
    upper = drawing.layer(1, sorted(summary_words(below)))
    words |= summary_words(upper)
    nodes = sorted({*entities, *summary_words([*below, *upper])})
    communities = []
    if len(nodes) > 1:
        whole = drawing.community(0, nodes)
        parts = [drawing.community(1, drawing.some(nodes, 2), whole.id) for _ in range(3)]
        communities = list({one.id: one for one in (whole, *parts)}.values())
    known = nodes_of(reader.records.hierarchy().clusters, reader.records.hierarchy().communities).keys()
    made = nodes_of([*below, *upper], communities).keys()
    sparsities = [drawing.random.random() for _ in range(2)]
    return Rearrangement([*lower, *upper], communities, sorted(known - made), sparsities, len(entities), seed % 7)


def rearrange(store: Store, change: Rearrangement) -> None:
    with store.write() as writer:
        writer.update_hierarchy(change)
        while missing := writer.attach():
            writer.put_vectors(missing, vectors(missing))


def nodes_of(clusters: Iterable[Cluster], communities: Iterable[Community]) -> dict[str, Cluster | Community]:
    nodes: dict[str, Cluster | Community] = {one.id: one for one in clusters}
    return nodes | {one.id: one for one in communities}


def arrange(store: Store, seed: int, keep: bool = False) -> Rearrangement:
    """Build a hierarchy over what there is; of the one before keep the lowest clusters that are not stale, or none."""
    with store.read() as reader:
        kept = [one for one in reader.records.hierarchy().clusters if keep and one.layer == 0 and not one.stale]
        change = drawn(reader, seed, kept)
    rearrange(store, change)
    return change


def reword(store: Store, seed: int) -> Rearrangement:
    """Let one cluster have other summaries, or be gone; all else stays."""
    draw = random.Random(seed)
    with store.read() as reader:
        before = reader.records.hierarchy()
    numbers = (before.sparsities, before.settled, before.since)
    if not before.clusters:
        return Rearrangement((), (), (), *numbers)
    cluster = draw.choice(before.clusters)
    change = Rearrangement((), (), [cluster.id], *numbers)
    if not cluster.stale and draw.random() < 0.8:
        other = draw.choice([f"and {seed}", ""])
        others = [replace(one, description=f"{one.description} {other}" if other else "") for one in cluster.summaries]
        left = draw.choice([others, [*cluster.summaries[:1], *others[1:]], cluster.summaries[1:]])
        change = Rearrangement([replace(cluster, summaries=tuple(left))], (), (), *numbers)
    rearrange(store, change)
    return change


def move(store: Store, seed: int) -> Rearrangement:
    """Let a community have fewer members and a cluster other ones of its own; both say what they said."""
    draw = random.Random(seed)
    with store.read() as reader:
        before = reader.records.hierarchy()
    holding = {one.parent for one in before.communities}
    parts = [one for one in before.communities if one.report and one.id not in holding]
    wholes = [one for one in before.clusters if not one.stale]
    chosen = draw.sample(parts, min(1, len(parts)))
    moved = [replace(one, members=one.members[draw.randint(0, 1) :]) for one in chosen]
    owning = [replace(one, own=one.members[:1]) for one in draw.sample(wholes, min(1, len(wholes)))]
    gone = [one.id for one in chosen if one.id not in {other.id for other in moved}]
    change = Rearrangement(owning, moved, gone, before.sparsities, before.settled, before.since)
    rearrange(store, change)
    return change
