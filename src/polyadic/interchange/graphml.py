"""Export the bipartite graph of entities and facts as GraphML (graphml.graphdrawing.org)."""

import re
from collections.abc import Iterator, Mapping
from xml.sax.saxutils import escape, quoteattr

from polyadic.interchange.bipartite import all_entities, all_facts, all_participations
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import Reader

_KEYS = {
    "kind": "string",
    "text": "string",
    "name": "string",
    "type": "string",
    "description": "string",
    "score": "double",
    "support": "int",
    "facts": "int",
}
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    + "".join(f'<key id="{key}" for="node" attr.name="{key}" attr.type="{kind}"/>\n' for key, kind in _KEYS.items())
    + '<graph edgedefault="undirected">\n'
)
# Characters that XML 1.0 cannot represent.
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def graphml_pieces(reader: Reader, names: SourceNames | None = None) -> Iterator[str]:
    """Yield the file in pieces: nodes by identifier with their ``kind``, and an edge per participation.

    Sources are not exported, so ``names`` is not used.
    """
    yield _HEAD
    for e in all_entities(reader):
        attributes: dict[str, object] = {"name": e.name, "type": e.type, "description": e.description}
        yield _node(e.id, {"kind": "entity", **attributes, "score": e.score, "facts": e.facts})
    for f in all_facts(reader):
        yield _node(f.id, {"kind": "fact", "text": f.text, "score": f.score, "support": f.support})
    for f, entities in all_participations(reader):
        for e in entities:
            yield f"<edge source={quoteattr(f.id)} target={quoteattr(e.id)}/>\n"
    yield "</graph>\n</graphml>\n"


def _node(identifier: str, values: Mapping[str, object]) -> str:
    data = "".join(f'<data key="{key}">{_xml(str(value))}</data>' for key, value in values.items())
    return f"<node id={quoteattr(identifier)}>{data}</node>\n"


def _xml(text: str) -> str:
    # XML parsers would read a literal carriage return as a line feed.
    return escape(_NOT_IN_XML.sub("\ufffd", text), {"\r": "&#13;"})
