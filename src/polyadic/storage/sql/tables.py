"""Tables of a store, the same in every engine.

The source of truth is ``document``, ``revision``, ``text_segment`` and ``chunk``, with its evidence as packed JSON.
All other tables are derived from these, and updated in the transaction that makes a revision current.

Structured values are stored as their codecs say (encoding.py). Identifiers are stored as digests. Texts of any length
are looked up by digest too, as the index of an engine may take short ones only. docs/storage.md describes how to add a
column.
"""

from polyadic.storage.sql import encoding
from polyadic.storage.table import Index, Table, boolean, data, integer, real, serial, text, vector

META = Table("meta", text("key"), text("value"), key=("key",))

DOCUMENT = Table(
    "document",
    serial("id"),
    data("digest", unique=True),
    text("source"),
    integer("current", optional=True),  # the revision that readers see; NULL: not published yet
    indexes=(Index("unpublished", ("id",), "current IS NULL"),),
)
REVISION = Table(
    "revision",
    serial("id"),
    integer("document", indexed=True),
    text("content"),  # Document.content
    text("pipeline_config"),  # JSON: settings of the pipeline that made its chunks
    text("extractor"),  # of its chunks
    text("title"),
    data("title_entity", indexed=True),  # digest of the entity that the title names
    data("bare_title_entity", indexed=True),  # the same, of the title without "(film)" at its end
    integer("characters"),  # of its text
    text("metadata", codec=encoding.METADATA),
    text("pages", codec=encoding.PAGES),  # characters at which pages begin
    data("original"),  # digest of the file that it was read from; empty if there is none
)
STAGED_REVISION = Table("staged_revision", integer("revision"), key=("revision",))
"""Revisions that no reader sees yet."""
TEXT_SEGMENT = Table("text_segment", integer("id"), text("text"))
"""Fixed-size parts of the text of a revision; the key is computed from the revision and the position (revisions.py)."""
ORIGINAL_SEGMENT = Table("original_segment", integer("id"), data("data"))
"""Fixed-size parts of the kept original file of a revision, with keys as those of texts."""
CHUNK = Table(
    "chunk",
    serial("id"),
    data("digest"),
    integer("revision", indexed=True),
    integer("start"),
    integer("stop"),
    integer("new_from"),  # where text that the chunk before does not have begins
    integer("tokens"),
    text("headings", default="'[]'", codec=encoding.HEADINGS),  # of the sections that it is part of
    integer("evidence_count", default="0"),
    data("evidence", optional=True, codec=encoding.EVIDENCE),  # NULL: not extracted yet
    text("failure", optional=True),  # why extraction failed
    indexes=(Index("digest", ("digest", "revision")),),
)

VECTOR = Table(
    "vector",
    serial("id"),
    data("digest", unique=True),  # of the text embedded
    integer("uses"),  # rows of other tables that refer to it
    vector("data"),
    indexes=(Index("unused", ("id",), "uses = 0"),),
)
PASSAGE_WINDOW = Table(
    "passage_window",
    integer("chunk"),
    integer("ordinal"),
    integer("vector", references="vector"),
    key=("chunk", "ordinal"),
)
"""Spans of a chunk that fit the embedder."""

FACT = Table(
    "fact",
    integer("id"),
    data("digest", unique=True),
    text("text"),
    integer("tokens"),
    integer("arity"),
    integer("evidence"),  # number of statements
    integer("score"),  # sum of its scores, in hundredths
    integer("vector", optional=True, references="vector"),
)
ENTITY = Table(
    "entity",
    integer("id"),
    data("digest", unique=True),  # of the key
    text("key"),
    text("name"),  # the most frequent one; likewise type and description
    text("type"),
    text("description"),
    integer("evidence"),
    integer("score"),  # sum of its scores, in hundredths
    integer("facts"),
    integer("chunks"),
)
ATTRIBUTE_VALUE = Table(
    "attribute_value",
    integer("entity"),
    text("attribute"),
    data("value_digest"),
    text("value"),
    integer("occurrences"),
    integer("vector", optional=True, references="vector"),  # of an embedded form
    key=("entity", "attribute", "value_digest"),
    indexes=(Index("embedded", ("entity", "value_digest"), "vector IS NOT NULL"),),
)
"""Names, types, descriptions and forms that evidence gives an entity."""
ENTITY_ALIAS = Table("entity_alias", data("digest"), integer("entity", indexed=True), key=("digest", "entity"))
"""Digests of loose names (``identity.called``), to match questions."""
PARTICIPATION = Table(
    "participation",
    integer("fact"),
    integer("entity"),
    integer("occurrences"),  # how often evidence of the fact names the entity, after entity resolution
    key=("fact", "entity"),
    indexes=(Index("entity", ("entity", "fact")),),
)
STATEMENT = Table(
    "statement",
    integer("chunk"),
    integer("fact"),
    integer("start"),
    integer("stop"),
    key=("chunk", "fact", "start", "stop"),
    indexes=(Index("fact", ("fact", "chunk")),),
)
"""Where a fact is stated."""
DECISION = Table(
    "decision",
    serial("id"),
    data("digest", unique=True),
    text("at"),  # ISO 8601, UTC
    text("content"),  # JSON (encoding.py)
)
"""Entity resolution decisions (model/resolution.py)."""

HIERARCHY_NODE = Table(
    "hierarchy_node",
    serial("id"),
    data("digest", unique=True),
    text("kind"),  # cluster or community
    integer("level"),  # of a community; of a cluster the layer of its members
    boolean("stale", codec=encoding.BOOLEAN),  # a stale node keeps its members only
    integer("tokens"),  # of the report
    text("basis"),  # of the report
    text("report", optional=True, codec=encoding.REPORT),
    data("parent", codec=encoding.DIGEST),  # of a community
    data("primary_members", codec=encoding.DIGESTS),  # of a cluster: members whose most probable cluster it is
    data("members", codec=encoding.DIGESTS),
    data("sources", codec=encoding.DIGESTS),  # of the texts that the summaries or the report were made from
)
HIERARCHY_SOURCE = Table(
    "hierarchy_source",
    data("source"),  # digest of an entity, a fact or a summary
    integer("node"),
    data("text_digests"),  # texts taken from the source (hierarchy_records.py); empty for members
    key=("source", "node"),
)
"""What can make a node stale."""
SUMMARY = Table(
    "summary",
    serial("id"),
    data("digest", unique=True),
    integer("node", indexed=True),  # the cluster
    text("name"),
    text("type"),
    text("description"),
    text("author"),  # the model that wrote it, or extractive
    data("members", codec=encoding.DIGESTS),  # the members that it covers
    text("memberships", codec=encoding.MEMBERSHIPS),  # why and how strongly they belong to it
    integer("vector", optional=True, references="vector"),  # of its form, as entities have them
)

PENDING_QUESTION = Table("pending_question", data("digest"), text("content"), key=("digest",))
"""Questions, as JSON, whose answers wait for replies from batch files."""
PENDING_REQUEST = Table(
    "pending_request",
    data("digest"),  # of the request, as in reply
    data("requester", indexed=True),  # digest of the document or question that needs the reply
    text("purpose"),
    integer("calls", default="0"),  # usage of responses received so far
    integer("prompt_tokens", default="0"),
    integer("completion_tokens", default="0"),
    real("money", default="0"),
    key=("digest", "requester"),
)
"""Requests whose replies are expected from batch files."""
RECORDED_RESPONSE = Table("recorded_response", data("digest"), key=("digest",))
"""Responses that are in the ledger already."""
REPLY = Table("reply", data("digest"), data("text"), boolean("complete"), key=("digest",))
"""Replies of language models, compressed, by the digest of the request."""
MODEL_CALL = Table(
    "model_call",
    serial("id"),
    text("at"),  # ISO 8601, UTC
    text("purpose"),
    text("model"),
    integer("prompt_tokens"),
    integer("completion_tokens"),
    real("money"),
    real("seconds"),
    data("document", optional=True),  # digest of the document
    indexes=(Index("document", ("document",), "document IS NOT NULL"),),
)
"""Ledger of paid calls."""

NEW_VECTOR = Table("new_vector", data("digest"), vector("data"), key=("digest",), is_copied=False)
"""Vectors of another embedding model, until the store is switched to it."""
CHANGE_LOG = Table(
    "change_log",
    serial("id"),
    text("name", unique=True),  # random; the generation in meta is the latest
    integer("total"),  # running total of touched rows
    data("entities"),  # table keys, 8 bytes each, little-endian
    data("facts"),
    data("chunks"),
    is_copied=False,
)
"""Rows touched by each of the latest changes, so that arrays are updated instead of rebuilt (change_log.py)."""

TABLES = tuple(value for value in globals().values() if isinstance(value, Table))
"""All tables; each refers to earlier ones only."""
COPIED = tuple(table for table in TABLES if table.is_copied)
"""What a copy of a store has (transfer.py)."""
