"""Any HIF file as documents with evidence.

A file that we wrote holds its documents, and they are taken. Of any other, each edge becomes a document of one
statement, ``FILE#edge/ID``; a node that is in no edge, or of which more is said than a name, a type and a description,
becomes one as well, ``FILE#node/ID``. What these cannot hold is counted.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError

from polyadic.config import ChunkingSettings
from polyadic.interchange.chunk_alignment import NAME, align_to_chunks
from polyadic.interchange.document_record import DocumentExport
from polyadic.interchange.document_schema import WorkspaceSchema
from polyadic.interchange.hif_schema import HifEdge, HifHypergraph, HifIncidence, HifNode
from polyadic.interchange.validation import LEAST_SCORE, InvalidFile, validation_error
from polyadic.model.aggregation import form, tally
from polyadic.model.identity import entity_key
from polyadic.model.resolution import NO_OVERLAY, EntityResolution
from polyadic.model.types import Document, Evidence, Participation, Span

Id = str | int
_Shape = tuple[AbstractSet[Id], AbstractSet[Id], AbstractSet[tuple[Id, Id]]]
"""Nodes, edges and incidences."""
_OURS = "polyadic"
_NAMES = ("name", "label", "title")
_STATEMENTS = ("text", "sentence", "label", "name", "title", "description")
# Attributes that evidence holds; all others go into the metadata of a document.
_HELD_OF_AN_EDGE = ("text",)
_HELD_OF_A_NODE = ("name", "type", "description")
_TO_QUOTE = re.compile('^["\\s]|[\x00-\x1f\x7f-\x9f]|\\s$|^$')
_FACT_SCORE, _MOST_OF_A_FACT = 5.0, 10.0
_ENTITY_SCORE, _MOST_OF_AN_ENTITY = 50.0, 100.0


@dataclass(frozen=True, slots=True)
class HifContents:
    """The documents that a file holds or makes, and the decisions on who is who that it holds."""

    documents: Iterable[DocumentExport]
    overlay: EntityResolution = NO_OVERLAY


def contents_of(graph: HifHypergraph, path: str, chunking: ChunkingSettings, problems: Counter[str]) -> HifContents:
    """What a hypergraph holds or makes.

    Raises
    ------
    InvalidFile
        It holds documents of ours, and they are damaged or belong to another hypergraph.
    """
    if _OURS in graph.metadata:
        return _ours(graph, path)
    return HifContents(_Foreign(graph, path, chunking, problems).told())


def _ours(graph: HifHypergraph, path: str) -> HifContents:
    try:
        # Taken out, so that what has been checked need not be held twice.
        layout = WorkspaceSchema.model_validate(graph.metadata.pop(_OURS))
    except ValidationError as error:
        raise InvalidFile(
            f"{path} is damaged or of a newer version, at metadata.{_OURS}.{validation_error(error)}", "export it again"
        ) from error
    documents = [document.told() for document in layout.documents]
    overlay = EntityResolution.of(decision.decision() for decision in layout.decisions)
    del layout
    if _shape_of(graph) != _shape_stated(documents, overlay):
        raise InvalidFile(
            f"{path} holds another hypergraph than its documents state: somebody has changed it",
            f"to take in the hypergraph alone, remove metadata.{_OURS}",
        )
    return HifContents(documents, overlay)


def _shape_of(graph: HifHypergraph) -> _Shape:
    incidences = {(incidence.edge, incidence.node) for incidence in graph.incidences}
    return {node.node for node in graph.nodes}, {edge.edge for edge in graph.edges}, incidences


def _shape_stated(documents: Iterable[DocumentExport], overlay: EntityResolution) -> _Shape:
    counts = tally(((told.document.id, passage.evidence) for told in documents for passage in told.passages), overlay)
    incidences = {(fact, key) for fact, said in counts.facts.items() for key in said.participants}
    return set(counts.entities), set(counts.facts), incidences


@dataclass(slots=True)
class _Foreign:
    graph: HifHypergraph
    path: str
    chunking: ChunkingSettings
    problems: Counter[str]
    nodes: dict[Id, HifNode] = field(default_factory=dict)
    edges: dict[Id, HifEdge] = field(default_factory=dict)
    incidences: dict[Id, dict[Id, HifIncidence]] = field(default_factory=dict)

    def told(self) -> Iterator[DocumentExport]:
        """In the order of the file: edges that it lists, edges that only incidences name, nodes."""
        self._collect()
        self._count_what_is_not_held()
        edge_names, node_names = _labels(self.edges), _labels(self.nodes)
        for identifier, edge in self.edges.items():
            members = self.incidences.get(identifier, {})
            yield self._edge(edge, edge_names[identifier], members, node_names)
        connected = {identifier for members in self.incidences.values() for identifier in members}
        for identifier, node in self.nodes.items():
            besides = _said_besides(node, _HELD_OF_A_NODE, _MOST_OF_AN_ENTITY)
            if besides or identifier not in connected:
                yield self._node(node, node_names[identifier], besides)

    def _collect(self) -> None:
        """What is listed twice counts as it was listed last."""
        graph = self.graph
        for node in graph.nodes:
            self.problems["nodes listed twice, the last kept"] += node.node in self.nodes
            self.nodes[node.node] = node
        for edge in graph.edges:
            self.problems["edges listed twice, the last kept"] += edge.edge in self.edges
            self.edges[edge.edge] = edge
        for incidence in graph.incidences:
            members = self.incidences.setdefault(incidence.edge, {})
            self.problems["incidences listed twice, the last kept"] += incidence.node in members
            members[incidence.node] = incidence
            self.edges.setdefault(incidence.edge, HifEdge(edge=incidence.edge))
            self.nodes.setdefault(incidence.node, HifNode(node=incidence.node))

    def _count_what_is_not_held(self) -> None:
        for key in self.graph.metadata:
            self.problems[f"metadata of the whole file, not kept: {key[:60]}"] += 1
        if self.graph.network_type == "asc":
            self.problems["network-type asc (that every part of an edge is one as well), not kept"] += 1
        names = _labels(self.nodes)
        keys = Counter(entity_key(_name(node, names[i])) for i, node in self.nodes.items())
        self.problems["nodes of the same name as another, one entity here"] += sum(keys.values()) - len(keys)

    def _edge(
        self, edge: HifEdge, label: str, members: Mapping[Id, HifIncidence], names: Mapping[Id, str]
    ) -> DocumentExport:
        participants = tuple(self._participant(self.nodes[i], names[i], said) for i, said in members.items())
        text = _first_text(edge.attrs, _STATEMENTS)
        text = text or (f"{label}: {', '.join(p.name for p in participants)}" if participants else label)
        metadata = _said_besides(edge, _HELD_OF_AN_EDGE, _MOST_OF_A_FACT)
        for identifier, incidence in members.items():
            said = incidence.model_dump(exclude_unset=True, exclude={"edge", "node"})
            if said:
                metadata[f"incidence {names[identifier]}"] = _json(said)
        score = _score(edge.attrs, _MOST_OF_A_FACT) or _FACT_SCORE
        return self._document(f"edge/{label}", text, score, participants, metadata)

    def _node(self, node: HifNode, label: str, besides: dict[str, str]) -> DocumentExport:
        participant = self._participant(node, label)
        text = form(participant.name, participant.description)
        return self._document(f"node/{label}", text, _FACT_SCORE, (participant,), besides)

    def _participant(self, node: HifNode, label: str, incidence: HifIncidence | None = None) -> Participation:
        said_here = _score(incidence.attrs, _MOST_OF_AN_ENTITY) if incidence else None
        score = said_here or _score(node.attrs, _MOST_OF_AN_ENTITY) or _ENTITY_SCORE
        kind, description = _first_text(node.attrs, ("type",)), _first_text(node.attrs, ("description",))
        return Participation(_name(node, label), kind, description, score)

    def _document(
        self,
        name: str,
        text: str,
        score: float,
        participants: tuple[Participation, ...],
        metadata: dict[str, str],
    ) -> DocumentExport:
        document = Document(f"{self.path}#{name}", "", text, metadata)
        said = Evidence(text, score, participants, (Span(0, len(text)),), NAME)
        return align_to_chunks(document, [said], self.chunking)


def _said_besides(item: HifNode | HifEdge, texts_held: Sequence[str], most: float) -> dict[str, str]:
    """Weight and attributes as strings, but for what evidence holds: these texts, and a score up to ``most``."""
    weight = {"weight": str(item.weight)} if "weight" in item.model_fields_set else {}
    held = {key for key in texts_held if _first_text(item.attrs, (key,))}
    if _score(item.attrs, most) is not None:
        held.add("score")
    attrs = {key: value for key, value in item.attrs.items() if key not in held}
    return weight | {f"attrs.{_clean(key)}": _clean(v) if isinstance(v, str) else _json(v) for key, v in attrs.items()}


def _name(node: HifNode, label: str) -> str:
    name = _first_text(node.attrs, _NAMES)
    return name if entity_key(name) else label


def _first_text(attrs: Mapping[str, Any], names: Iterable[str]) -> str:
    found = (attrs.get(name) for name in names)
    return next((_clean(text).strip() for text in found if isinstance(text, str) and text.strip()), "")


def _score(attrs: Mapping[str, Any], most: float) -> float | None:
    """The attribute of that name, where it is one in our sense; a weight may mean anything."""
    value = attrs.get("score")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if LEAST_SCORE <= value <= most else None


def _labels(identifiers: Iterable[Id]) -> dict[Id, str]:
    """Identifiers as strings, each of its own.

    In JSON's quotes stand those that would not be seen, or be taken for another: where both 1 and "1" are there, the
    latter.

    >>> _labels([1, "1", "a"])
    {1: '1', '1': '"1"', 'a': 'a'}
    """
    known = list(identifiers)
    numbers = {str(i) for i in known if isinstance(i, int)}
    return {i: json.dumps(i) if i in numbers or _TO_QUOTE.search(str(i)) else str(i) for i in known}


def _clean(text: str) -> str:
    return text.replace("\0", "\ufffd")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
