"""The Hypergraph Interchange Format as its schema defines it (github.com/HIF-org/HIF-standard), in our own words."""

from codecs import BOM_UTF8
from typing import Any, Literal

from pydantic import Field, ValidationError

from polyadic.interchange.validation import Identifier, InvalidFile, StrictModel, validation_error

# A file is held whole while it is checked, at about fifteen times its size.
MOST_MEGABYTES = 256


class _Weighted(StrictModel):
    """``weight`` and ``attrs`` may be left out, but are never null; ``model_fields_set`` tells what was said."""

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
    """The hypergraph in a file's bytes.

    >>> parse_hif(b'{"incidences": [{"edge": 1, "node": "a"}]}', "a.json").incidences[0].node
    'a'

    Raises
    ------
    InvalidFile
        It is not what the format asks for; says what and where.
    """
    try:
        return HifHypergraph.model_validate_json(data.removeprefix(BOM_UTF8))
    except ValidationError as error:
        raise InvalidFile(
            f"{name} is no HIF file: {validation_error(error)}", "mend it; nothing was taken in"
        ) from error
