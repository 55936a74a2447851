"""Read the Hypergraph Interchange Format (github.com/HIF-org/HIF-standard): check a file, and make documents of it."""

import json
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import Field, ValidationError

from polyadic.config import ChunkingSettings
from polyadic.interchange.chunk_alignment import NAME, align_to_chunks
from polyadic.interchange.document_export import DocumentExport
from polyadic.interchange.document_schema import WorkspaceSchema
from polyadic.interchange.validation import LEAST_SCORE, Identifier, InvalidFile, StrictModel, validation_error
from polyadic.model.aggregation import form, tally
from polyadic.model.identity import entity_key
from polyadic.model.resolution import NO_DECISIONS, EntityResolution
from polyadic.model.types import Document, Evidence, Participation, Span

# Parsing holds the file in memory, at about fifteen times its size.
MOST_MEGABYTES = 256

Id = str | int
_Shape = tuple[AbstractSet[Id], AbstractSet[Id], AbstractSet[tuple[Id, Id]]]
"""Identifiers of nodes, edges and incidences."""
_POLYADIC_KEY = "polyadic"
_NAMES = ("name", "label", "title")
_TEXT_FIELDS = ("text", "sentence", "label", "name", "title", "description")
# Attributes that become evidence; all others go into the metadata of a document.
_EVIDENCE_KEYS_OF_EDGE = ("text",)
_EVIDENCE_KEYS_OF_NODE = ("name", "type", "description")
_TO_QUOTE = re.compile('^["\\s]|[\x00-\x1f\x7f-\x9f]|\\s$|^$')
_FACT_SCORE, _MAX_FACT_SCORE = 5.0, 10.0
_ENTITY_SCORE, _MAX_ENTITY_SCORE = 50.0, 100.0


class _Weighted(StrictModel):
    """Element with optional but not nullable ``weight`` and ``attrs``; see ``model_fields_set`` for those given."""

    weight: float = 1.0
    attrs: dict[str, Any] = Field(default_factory=dict)


class HifNode(_Weighted):
    node: Identifier


class HifEdge(_Weighted):
    edge: Identifier


class HifIncidence(_Weighted):
    edge: Identifier
    node: Identifier
    direction: Literal["head", "tail"] = "head"


class HifHypergraph(StrictModel):
    network_type: Literal["undirected", "directed", "asc"] = Field("undirected", alias="network-type")
    metadata: dict[str, Any] = Field(default_factory=dict)
    incidences: list[HifIncidence]
    nodes: list[HifNode] = Field(default_factory=list)
    edges: list[HifEdge] = Field(default_factory=list)


def parse_hif(data: bytes, name: str) -> HifHypergraph:
    """Parse the bytes of a HIF file.

    >>> parse_hif(b'{"incidences": [{"edge": 1, "node": "a"}]}', "a.json").incidences[0].node
    'a'

    Raises
    ------
    InvalidFile
        The file is not valid HIF; the message says what is wrong and where.
    """
    try:
        return HifHypergraph.model_validate_json(data.removeprefix(BOM_UTF8))
    except ValidationError as error:
        raise InvalidFile(
            f"{name} is not a HIF file: {validation_error(error)}", "fix the file; nothing was imported"
        ) from error


@dataclass(frozen=True, slots=True)
class HifContents:
    """Documents and entity resolution decisions of a HIF file."""

    documents: Iterable[DocumentExport]
    resolution: EntityResolution = NO_DECISIONS


def contents_of(graph: HifHypergraph, path: str, chunking: ChunkingSettings, problems: Counter[str]) -> HifContents:
    """Convert a hypergraph to documents and decisions; ``problems`` counts information that cannot be kept.

    Raises
    ------
    InvalidFile
        ``metadata.polyadic`` is damaged, or does not match the hypergraph.
    """
    if _POLYADIC_KEY in graph.metadata:
        return _polyadic_contents(graph, path)
    return HifContents(_ForeignGraph(graph, path, chunking, problems).exports())


def _polyadic_contents(graph: HifHypergraph, path: str) -> HifContents:
    try:
        # Removed from the graph, so that the documents are not held in memory twice.
        schema = WorkspaceSchema.model_validate(graph.metadata.pop(_POLYADIC_KEY))
    except ValidationError as error:
        raise InvalidFile(
            f"{path} is damaged or of a newer version, at metadata.{_POLYADIC_KEY}.{validation_error(error)}",
            "export it again",
        ) from error
    documents = [document.to_export() for document in schema.documents]
    resolution = EntityResolution.of(decision.decision() for decision in schema.decisions)
    del schema
    if _shape_of(graph) != _shape_from_documents(documents, resolution):
        raise InvalidFile(
            f"the hypergraph of {path} does not match its documents: the file was edited after its export",
            f"remove metadata.{_POLYADIC_KEY} to import the hypergraph alone",
        )
    return HifContents(documents, resolution)


def _shape_of(graph: HifHypergraph) -> _Shape:
    incidences = {(incidence.edge, incidence.node) for incidence in graph.incidences}
    return {node.node for node in graph.nodes}, {edge.edge for edge in graph.edges}, incidences


def _shape_from_documents(documents: Iterable[DocumentExport], resolution: EntityResolution) -> _Shape:
    counts = tally(
        ((export.document.id, chunk_export.evidence) for export in documents for chunk_export in export.chunk_exports),
        resolution,
    )
    incidences = {(fact, key) for fact, counted in counts.facts.items() for key in counted.participants}
    return set(counts.entities), set(counts.facts), incidences


@dataclass(slots=True)
class _ForeignGraph:
    graph: HifHypergraph
    path: str
    chunking: ChunkingSettings
    problems: Counter[str]
    nodes: dict[Id, HifNode] = field(default_factory=dict)
    edges: dict[Id, HifEdge] = field(default_factory=dict)
    incidences: dict[Id, dict[Id, HifIncidence]] = field(default_factory=dict)

    def exports(self) -> Iterator[DocumentExport]:
        """Yield documents in file order: listed edges, edges that only incidences name, nodes."""
        self._collect()
        self._count_dropped_information()
        edge_names, node_names = _labels(self.edges), _labels(self.nodes)
        for identifier, edge in self.edges.items():
            members = self.incidences.get(identifier, {})
            yield self._edge(edge, edge_names[identifier], members, node_names)
        connected = {identifier for members in self.incidences.values() for identifier in members}
        for identifier, node in self.nodes.items():
            extra = _extra_attributes(node, _EVIDENCE_KEYS_OF_NODE, _MAX_ENTITY_SCORE)
            if extra or identifier not in connected:
                yield self._node(node, node_names[identifier], extra)

    def _collect(self) -> None:
        """Index the graph by identifier; of duplicates, the last one is kept."""
        graph = self.graph
        for node in graph.nodes:
            self.problems["duplicate nodes, the last one kept"] += node.node in self.nodes
            self.nodes[node.node] = node
        for edge in graph.edges:
            self.problems["duplicate edges, the last one kept"] += edge.edge in self.edges
            self.edges[edge.edge] = edge
        for incidence in graph.incidences:
            members = self.incidences.setdefault(incidence.edge, {})
            self.problems["duplicate incidences, the last one kept"] += incidence.node in members
            members[incidence.node] = incidence
            self.edges.setdefault(incidence.edge, HifEdge(edge=incidence.edge))
            self.nodes.setdefault(incidence.node, HifNode(node=incidence.node))

    def _count_dropped_information(self) -> None:
        for key in self.graph.metadata:
            self.problems[f"file metadata not kept: {key[:60]}"] += 1
        if self.graph.network_type == "asc":
            self.problems["network-type asc (abstract simplicial complex) not kept"] += 1
        names = _labels(self.nodes)
        keys = Counter(entity_key(_name(node, names[i])) for i, node in self.nodes.items())
        self.problems["nodes merged into the entity of another with the same name"] += sum(keys.values()) - len(keys)

    def _edge(
        self, edge: HifEdge, label: str, members: Mapping[Id, HifIncidence], names: Mapping[Id, str]
    ) -> DocumentExport:
        participants = tuple(self._participant(self.nodes[i], names[i], incidence) for i, incidence in members.items())
        text = _first_text(edge.attrs, _TEXT_FIELDS)
        text = text or (f"{label}: {', '.join(p.name for p in participants)}" if participants else label)
        metadata = _extra_attributes(edge, _EVIDENCE_KEYS_OF_EDGE, _MAX_FACT_SCORE)
        for identifier, incidence in members.items():
            attributes = incidence.model_dump(exclude_unset=True, exclude={"edge", "node"})
            if attributes:
                metadata[f"incidence {names[identifier]}"] = _json(attributes)
        score = _score(edge.attrs, _MAX_FACT_SCORE) or _FACT_SCORE
        return self._document(f"edge/{label}", text, score, participants, metadata)

    def _node(self, node: HifNode, label: str, besides: dict[str, str]) -> DocumentExport:
        participant = self._participant(node, label)
        text = form(participant.name, participant.description)
        return self._document(f"node/{label}", text, _FACT_SCORE, (participant,), besides)

    def _participant(self, node: HifNode, label: str, incidence: HifIncidence | None = None) -> Participation:
        own_score = _score(incidence.attrs, _MAX_ENTITY_SCORE) if incidence else None
        score = own_score or _score(node.attrs, _MAX_ENTITY_SCORE) or _ENTITY_SCORE
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
        incidence = Evidence(text, score, participants, (Span(0, len(text)),), NAME)
        return align_to_chunks(document, [incidence], self.chunking)


def _extra_attributes(item: HifNode | HifEdge, texts_held: Sequence[str], most: float) -> dict[str, str]:
    """Return weight and attributes as strings, without those that become evidence: ``texts_held`` and the score."""
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
    values = (attrs.get(name) for name in names)
    return next((_clean(text).strip() for text in values if isinstance(text, str) and text.strip()), "")


def _score(attrs: Mapping[str, Any], most: float) -> float | None:
    """Return the score attribute if it is within our range; weights are ignored, as they may mean anything."""
    value = attrs.get("score")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if LEAST_SCORE <= value <= most else None


def _labels(identifiers: Iterable[Id]) -> dict[Id, str]:
    """Return a distinct string for each identifier.

    Identifiers that would be invisible or ambiguous are quoted as in JSON, such as "1" if the number 1 occurs as well.

    >>> _labels([1, "1", "a"])
    {1: '1', '1': '"1"', 'a': 'a'}
    """
    all_identifiers = list(identifiers)
    numbers = {str(i) for i in all_identifiers if isinstance(i, int)}
    return {i: json.dumps(i) if i in numbers or _TO_QUOTE.search(str(i)) else str(i) for i in all_identifiers}


def _clean(text: str) -> str:
    return text.replace("\0", "\ufffd")


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
