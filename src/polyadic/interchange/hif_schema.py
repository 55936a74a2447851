"""Pydantic models of the Hypergraph Interchange Format (github.com/HIF-org/HIF-standard)."""

from codecs import BOM_UTF8
from typing import Any, Literal

from pydantic import Field, ValidationError

from polyadic.interchange.validation import Identifier, InvalidFile, StrictModel, validation_error

# Parsing holds the file in memory, at about fifteen times its size.
MOST_MEGABYTES = 256


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
