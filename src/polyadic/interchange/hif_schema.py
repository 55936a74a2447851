"""The Hypergraph Interchange Format as its schema defines it (github.com/HIF-org/HIF-standard), in our own words."""

from codecs import BOM_UTF8
from typing import Any, Literal

from pydantic import Field, ValidationError

from polyadic.interchange.checking import BadFile, Identifier, Strict, explained

# A file is held whole while it is checked, at about fifteen times its size.
MOST_MEGABYTES = 256


class _Weighted(Strict):
    """``weight`` and ``attrs`` may be left out, but are never null; ``model_fields_set`` tells what was said."""

    weight: float = 1.0
    attrs: dict[str, Any] = Field(default_factory=dict)


class Node(_Weighted):
    node: Identifier


class Edge(_Weighted):
    edge: Identifier


class Incidence(_Weighted):
    edge: Identifier
    node: Identifier
    direction: Literal["head", "tail"] = "head"


class Hypergraph(Strict):
    network_type: Literal["undirected", "directed", "asc"] = Field("undirected", alias="network-type")
    metadata: dict[str, Any] = Field(default_factory=dict)
    incidences: list[Incidence]
    nodes: list[Node] = Field(default_factory=list)
    edges: list[Edge] = Field(default_factory=list)


def parse_hif(data: bytes, name: str) -> Hypergraph:
    """The hypergraph in a file's bytes.

    >>> parse_hif(b'{"incidences": [{"edge": 1, "node": "a"}]}', "a.json").incidences[0].node
    'a'

    Raises
    ------
    BadFile
        It is not what the format asks for; says what and where.
    """
    try:
        return Hypergraph.model_validate_json(data.removeprefix(BOM_UTF8))
    except ValidationError as error:
        raise BadFile(f"{name} is no HIF file: {explained(error)}", "mend it; nothing was taken in") from error
