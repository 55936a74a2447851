"""What of a hierarchy is stale after a step, worked out the slow way: from all that the documents say."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Rearrangement
from polyadic.model.identity import entity_id
from polyadic.storage.protocol import Reader
from tests.storage.hierarchies import ground_of, nodes_of, summary_words

Words = Mapping[str, tuple[str, ...]]
Node = Cluster | Community


@dataclass(frozen=True)
class Ground:
    """``displayed`` is what facts and entities say; ``said`` all that evidence says of each entity, by attribute."""

    displayed: Words
    said: Mapping[str, tuple[set[str], set[str], set[str]]]

    @classmethod
    def of(cls, reader: Reader) -> Self:
        resolution = reader.records.resolution()
        said: dict[str, tuple[set[str], set[str], set[str]]] = defaultdict(lambda: (set(), set(), set()))
        for document in reader.records.documents():
            facts = (one for _, evidence in reader.records.evidence(document.id) for one in evidence)
            for participant in (participant for fact in facts for participant in fact.participants):
                names, types, descriptions = said[entity_id(resolution.key(participant.key, document.id))]
                names.add(participant.name)
                types.add(participant.type)
                descriptions.add(participant.description)
        return cls(ground_of(reader), said)


@dataclass(frozen=True)
class State:
    """A hierarchy, and by node the words that each of its sources had when its own were written."""

    hierarchy: Hierarchy = field(default_factory=Hierarchy)
    source_words: Mapping[str, Words] = field(default_factory=dict)

    def after(self, ground: Ground, given: Rearrangement | None = None) -> "State":
        """That after a change of the ground, or after one of the hierarchy; what is given stands as it is."""
        words = dict(ground.displayed)
        old = nodes_of(self.hierarchy.clusters, self.hierarchy.communities)
        new = nodes_of(given.clusters, given.communities) if given else {}
        there = {one: node for one, node in (old | new).items() if given is None or one not in given.removed}
        replaced = [node for one, node in old.items() if one in new or one not in there]
        source_words: dict[str, Words] = {}
        kept: list[Node] = []
        for one, node in sorted(there.items(), key=lambda item: (_height(item[1]), item[0])):
            if one in new:
                source_words[one] = {source: words[source] for source in node.sources} | self._unchanged(node, replaced)
                kept.append(node)
            elif all(member in words for member in node.members) and all(
                _holds(source, said, words, ground) for source, said in self.source_words[one].items()
            ):
                source_words[one] = self.source_words[one]
                kept.append(node)
            else:
                source_words[one] = {}
                kept.append(_emptied(node))
            if isinstance(node, Cluster):
                words |= summary_words([one for one in kept[-1:] if isinstance(one, Cluster)])
        clusters = tuple(node for node in kept if isinstance(node, Cluster))
        communities = tuple(node for node in kept if isinstance(node, Community))
        numbers = given or self.hierarchy
        series = (tuple(numbers.sparsities), numbers.settled, numbers.since)
        return State(Hierarchy(clusters, communities, *series), source_words)

    def _unchanged(self, node: Node, replaced: list[Node]) -> dict[str, tuple[str, ...]]:
        """What was told of entities and facts to what said the same."""
        summaries = summary_words(self.hierarchy.clusters)
        return {
            source: words
            for former in replaced
            if _speech(former) == _speech(node)
            for source, words in self.source_words[former.id].items()
            if source not in summaries
        }


def _speech(node: Node) -> object:
    return node.sources, node.summaries if isinstance(node, Cluster) else node.report


def _height(node: Node) -> tuple[bool, int]:
    """Communities may hold summaries of all layers."""
    return (False, node.layer) if isinstance(node, Cluster) else (True, node.level)


def _holds(source: str, stated: tuple[str, ...], words: Words, ground: Ground) -> bool:
    """Whether what was told of a source is displayed, or said by any evidence."""
    if source not in words or source not in ground.said:
        return words.get(source) == stated
    every = zip(stated, words[source], ground.said[source], strict=True)
    return all(one in ("", shown) or one in said for one, shown, said in every)


def _emptied(node: Node) -> Node:
    if isinstance(node, Cluster):
        return Cluster(node.layer, node.members, node.own, stale=True)
    return Community(node.level, node.members, node.parent, stale=True)
