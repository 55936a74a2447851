"""What of a hierarchy is stale after a step, worked out the slow way: from all that the documents say."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Rearrangement
from polyadic.model.identity import entity_id
from polyadic.storage.protocol import Reader
from tests.storage.hierarchies import ground_of, summary_words, themes_of

Words = Mapping[str, tuple[str, ...]]
Theme = Cluster | Community


@dataclass(frozen=True)
class Ground:
    """``displayed`` is what facts and entities say; ``said`` all that evidence says of each entity, by attribute."""

    displayed: Words
    said: Mapping[str, tuple[set[str], set[str], set[str]]]

    @classmethod
    def of(cls, reader: Reader) -> Self:
        overlay = reader.overlay()
        said: dict[str, tuple[set[str], set[str], set[str]]] = defaultdict(lambda: (set(), set(), set()))
        for document in reader.documents():
            facts = (one for _, evidence in reader.evidence(document.id) for one in evidence)
            for participant in (participant for fact in facts for participant in fact.participants):
                names, types, descriptions = said[entity_id(overlay.key(participant.key, document.id))]
                names.add(participant.name)
                types.add(participant.type)
                descriptions.add(participant.description)
        return cls(ground_of(reader), said)


@dataclass(frozen=True)
class State:
    """A hierarchy, and by theme the words that each of its sources had when its own were written."""

    hierarchy: Hierarchy = field(default_factory=Hierarchy)
    told: Mapping[str, Words] = field(default_factory=dict)

    def after(self, ground: Ground, given: Rearrangement | None = None) -> "State":
        """That after a change of the ground, or after one of the hierarchy; what is given stands as it is."""
        words = dict(ground.displayed)
        old = themes_of(self.hierarchy.clusters, self.hierarchy.communities)
        new = themes_of(given.clusters, given.communities) if given else {}
        there = {one: theme for one, theme in (old | new).items() if given is None or one not in given.removed}
        replaced = [theme for one, theme in old.items() if one in new or one not in there]
        told: dict[str, Words] = {}
        kept: list[Theme] = []
        for one, theme in sorted(there.items(), key=lambda item: (_height(item[1]), item[0])):
            if one in new:
                told[one] = {source: words[source] for source in theme.sources} | self._unchanged(theme, replaced)
                kept.append(theme)
            elif all(member in words for member in theme.members) and all(
                _holds(source, said, words, ground) for source, said in self.told[one].items()
            ):
                told[one] = self.told[one]
                kept.append(theme)
            else:
                told[one] = {}
                kept.append(_emptied(theme))
            if isinstance(theme, Cluster):
                words |= summary_words([one for one in kept[-1:] if isinstance(one, Cluster)])
        clusters = tuple(theme for theme in kept if isinstance(theme, Cluster))
        communities = tuple(theme for theme in kept if isinstance(theme, Community))
        numbers = given or self.hierarchy
        series = (tuple(numbers.sparsities), numbers.settled, numbers.since)
        return State(Hierarchy(clusters, communities, *series), told)

    def _unchanged(self, theme: Theme, replaced: list[Theme]) -> dict[str, tuple[str, ...]]:
        """What was told of entities and facts to what said the same."""
        summaries = summary_words(self.hierarchy.clusters)
        return {
            source: words
            for former in replaced
            if _speech(former) == _speech(theme)
            for source, words in self.told[former.id].items()
            if source not in summaries
        }


def _speech(theme: Theme) -> object:
    return theme.sources, theme.summaries if isinstance(theme, Cluster) else theme.report


def _height(theme: Theme) -> tuple[bool, int]:
    """Communities may hold summaries of all layers."""
    return (False, theme.layer) if isinstance(theme, Cluster) else (True, theme.level)


def _holds(source: str, told: tuple[str, ...], words: Words, ground: Ground) -> bool:
    """Whether what was told of a source is displayed, or said by any evidence."""
    if source not in words or source not in ground.said:
        return words.get(source) == told
    every = zip(told, words[source], ground.said[source], strict=True)
    return all(one in ("", shown) or one in said for one, shown, said in every)


def _emptied(theme: Theme) -> Theme:
    if isinstance(theme, Cluster):
        return Cluster(theme.layer, theme.members, theme.own, stale=True)
    return Community(theme.level, theme.members, theme.parent, stale=True)
