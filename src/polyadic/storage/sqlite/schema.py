"""Schema of the SQLite store and its migrations.

The source of truth is ``document``, ``revision``, ``text_segment`` and ``chunk`` (with its evidence as packed
JSON). All other tables are derived from these, and updated in the transaction that makes a revision current.
"""

# One script per version, never edited once released; a store is migrated by the scripts after its version.
MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

    CREATE TABLE document (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        source TEXT NOT NULL,
        current INTEGER                         -- the revision that readers see; NULL: not published yet
    );
    CREATE TABLE revision (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL,
        content TEXT NOT NULL,                  -- Document.content
        pipeline_config TEXT NOT NULL,          -- JSON: settings of the pipeline that made its chunks
        title TEXT NOT NULL,
        title_key TEXT NOT NULL,
        text TEXT NOT NULL,
        metadata TEXT NOT NULL
    );
    CREATE INDEX revision_document ON revision (document);
    CREATE TABLE chunk (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL,
        revision INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        new_from INTEGER NOT NULL,              -- where text that the chunk before does not have begins
        tokens INTEGER NOT NULL,
        evidence TEXT                           -- JSON (see serialization.py); NULL: not extracted yet
    );
    CREATE INDEX chunk_revision ON chunk (revision);
    CREATE INDEX chunk_digest ON chunk (digest);

    CREATE TABLE vector (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,            -- of the text embedded
        uses INTEGER NOT NULL,                  -- facts, forms and windows that point here
        data BLOB NOT NULL                      -- little-endian float32
    );
    CREATE INDEX vector_unused ON vector (id) WHERE uses = 0;
    CREATE TABLE passage_window (               -- a span of a chunk that fits the embedder
        chunk INTEGER NOT NULL,
        ordinal INTEGER NOT NULL,
        vector INTEGER NOT NULL,
        PRIMARY KEY (chunk, ordinal)
    ) WITHOUT ROWID;

    CREATE TABLE fact (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        text TEXT NOT NULL,
        tokens INTEGER NOT NULL,
        arity INTEGER NOT NULL,
        evidence INTEGER NOT NULL,              -- number of statements
        score INTEGER NOT NULL,                 -- sum of its scores, in hundredths
        vector INTEGER
    );
    CREATE TABLE entity (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        key TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,                     -- the most frequent one; likewise type and description
        type TEXT NOT NULL,
        description TEXT NOT NULL,
        evidence INTEGER NOT NULL,
        score INTEGER NOT NULL,                 -- sum of its scores, in hundredths
        facts INTEGER NOT NULL,
        chunks INTEGER NOT NULL
    );
    CREATE TABLE attribute_value (              -- names, types, descriptions and forms that evidence gives an entity
        entity INTEGER NOT NULL,
        attribute TEXT NOT NULL,
        value TEXT NOT NULL,
        occurrences INTEGER NOT NULL,
        vector INTEGER,                         -- of an embedded form
        PRIMARY KEY (entity, attribute, value)
    ) WITHOUT ROWID;
    CREATE INDEX attribute_value_best ON attribute_value (entity, attribute, occurrences DESC, value);
    CREATE INDEX attribute_value_embedded ON attribute_value (entity, value) WHERE vector IS NOT NULL;
    CREATE TABLE entity_alias (                 -- normalized names and variants, to match questions
        alias TEXT NOT NULL,
        entity INTEGER NOT NULL,
        PRIMARY KEY (alias, entity)
    ) WITHOUT ROWID;
    CREATE INDEX entity_alias_entity ON entity_alias (entity);
    CREATE TABLE participation (
        fact INTEGER NOT NULL,
        entity INTEGER NOT NULL,
        PRIMARY KEY (fact, entity)
    ) WITHOUT ROWID;
    CREATE INDEX participation_entity ON participation (entity, fact);
    CREATE TABLE statement (                    -- where a fact is stated
        chunk INTEGER NOT NULL,
        fact INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        PRIMARY KEY (chunk, fact, start, stop)
    ) WITHOUT ROWID;
    CREATE INDEX statement_fact ON statement (fact, chunk);

    CREATE VIRTUAL TABLE passage_fts USING fts5 (title, text, content = '', tokenize = 'unicode61 remove_diacritics 2');
    """,
    """
    ALTER TABLE revision ADD COLUMN pages TEXT NOT NULL DEFAULT '[]';      -- JSON: characters at which pages begin
    ALTER TABLE revision ADD COLUMN extractor TEXT NOT NULL DEFAULT '';    -- of its chunks
    UPDATE revision SET extractor = json_extract(pipeline_config, '$.extractor') WHERE json_valid(pipeline_config);
    ALTER TABLE revision ADD COLUMN title_bare TEXT NOT NULL DEFAULT '';   -- title_key without "(film)" at its end
    UPDATE revision SET title_bare = CASE WHEN title_key LIKE '%_ (%)'
        THEN substr(title_key, 1, instr(title_key, ' (') - 1) ELSE title_key END;
    ALTER TABLE chunk ADD COLUMN failure TEXT;         -- why extraction failed

    CREATE TABLE reply (                        -- cached replies of language models
        digest BLOB PRIMARY KEY,                -- of the request
        text TEXT NOT NULL,
        complete INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE model_call (                   -- ledger of paid calls
        id INTEGER PRIMARY KEY,
        at TEXT NOT NULL,                       -- ISO 8601, UTC
        purpose TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        money REAL NOT NULL,
        seconds REAL NOT NULL
    );
    """,
    """
    -- How often evidence of the fact names the entity, after entity resolution.
    ALTER TABLE participation ADD COLUMN occurrences INTEGER NOT NULL DEFAULT 1;
    UPDATE participation SET occurrences = (SELECT f.evidence FROM fact f WHERE f.id = participation.fact);
    CREATE TABLE decision (                     -- entity resolution decisions (model/resolution.py)
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        at TEXT NOT NULL,                       -- ISO 8601, UTC
        content TEXT NOT NULL                   -- JSON
    );

    ALTER TABLE model_call ADD COLUMN document BLOB;  -- digest of the document; NULL: none
    CREATE INDEX model_call_document ON model_call (document) WHERE document IS NOT NULL;

    CREATE TABLE staged_revision (              -- revisions that no reader sees yet
        revision INTEGER PRIMARY KEY
    );
    INSERT INTO staged_revision SELECT r.id FROM revision r JOIN document d ON d.id = r.document
        WHERE r.id IS NOT d.current;
    CREATE INDEX document_unpublished ON document (id) WHERE current IS NULL;

    CREATE TABLE pending_question (             -- questions whose answers wait for replies from batch files
        digest BLOB PRIMARY KEY,
        content TEXT NOT NULL                   -- JSON
    ) WITHOUT ROWID;
    CREATE TABLE pending_request (              -- requests whose replies are expected from batch files
        digest BLOB NOT NULL,                   -- of the request, as in reply
        requester BLOB NOT NULL,                -- digest of the document or question that needs the reply
        purpose TEXT NOT NULL,
        calls INTEGER NOT NULL DEFAULT 0,       -- usage of responses received so far
        prompt_tokens INTEGER NOT NULL DEFAULT 0,
        completion_tokens INTEGER NOT NULL DEFAULT 0,
        money REAL NOT NULL DEFAULT 0,
        PRIMARY KEY (digest, requester)
    ) WITHOUT ROWID;
    CREATE INDEX pending_request_requester ON pending_request (requester);
    CREATE TABLE recorded_response (            -- responses that are in the ledger already
        digest BLOB PRIMARY KEY                 -- of the response
    ) WITHOUT ROWID;

    CREATE TABLE new_vector (                   -- of another embedding model, until the store is switched to it
        digest BLOB PRIMARY KEY,                -- of the text embedded
        data BLOB NOT NULL                      -- little-endian float32
    ) WITHOUT ROWID;
    """,
    """
    -- The hierarchy. Lists of digests are concatenated, 16 bytes each. A stale node keeps its members only.
    CREATE TABLE hierarchy_node (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        kind TEXT NOT NULL,                     -- cluster or community
        level INTEGER NOT NULL,                 -- of a community; of a cluster the layer of its members
        stale INTEGER NOT NULL,
        tokens INTEGER NOT NULL,                -- of the report
        basis TEXT NOT NULL,                    -- of the report
        report TEXT,                            -- JSON
        parent BLOB NOT NULL,                   -- of a community
        primary_members BLOB NOT NULL,          -- of a cluster: members whose most probable cluster it is
        members BLOB NOT NULL,
        sources BLOB NOT NULL                   -- of the texts that the summaries or the report were made from
    );
    CREATE TABLE hierarchy_source (             -- dependencies that can make a node stale
        source BLOB NOT NULL,                   -- digest of an entity, a fact or a summary
        node INTEGER NOT NULL,
        text_digests BLOB NOT NULL,             -- texts taken from the source (hierarchy_texts.py); empty for members
        PRIMARY KEY (source, node)
    ) WITHOUT ROWID;
    CREATE TABLE summary (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        node INTEGER NOT NULL,                  -- the cluster
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        description TEXT NOT NULL,
        author TEXT NOT NULL,                   -- the model that wrote it, or extractive
        members BLOB NOT NULL,                  -- the members that it covers
        vector INTEGER                          -- of its form, as entities have them
    );
    CREATE INDEX summary_node ON summary (node);
    """,
    """
    CREATE INDEX document_source ON document (source) WHERE current IS NOT NULL;    -- for pagination
    """,
    """
    -- Rows touched by each of the latest changes, so that arrays are updated incrementally (change_log.py).
    CREATE TABLE change_log (
        seq INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,              -- random; the generation in meta is the latest
        total INTEGER NOT NULL,                 -- running total of touched rows
        entities BLOB NOT NULL,                 -- keys of the tables, 8 bytes each, little-endian
        facts BLOB NOT NULL,
        chunks BLOB NOT NULL
    );
    INSERT INTO change_log (name, total, entities, facts, chunks)
        SELECT value, 0, x'', x'', x'' FROM meta WHERE key = 'generation';
    CREATE INDEX revision_title ON revision (title_key);
    CREATE INDEX revision_title_bare ON revision (title_bare);
    """,
    """
    CREATE TABLE text_segment (                 -- fixed-size parts of the text of a revision (texts.py)
        id INTEGER PRIMARY KEY,                 -- computed from the revision and the position in its text
        text TEXT NOT NULL
    );
    ALTER TABLE revision ADD COLUMN characters INTEGER NOT NULL DEFAULT 0;  -- of its text
    """,
    """
    -- Compress evidence and replies (compression.py), vectors in half precision (half_precision.py).
    ALTER TABLE chunk RENAME TO old_chunk;
    CREATE TABLE chunk (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL,
        revision INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        new_from INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        evidence_count INTEGER NOT NULL DEFAULT 0,
        evidence BLOB,                          -- JSON, packed (see serialization.py); NULL: not extracted yet
        failure TEXT                            -- why extraction failed
    );
    INSERT INTO chunk SELECT id, digest, revision, start, stop, new_from, tokens,
        iif(json_valid(evidence), json_array_length(evidence), 0), packed(evidence), failure FROM old_chunk ORDER BY id;
    DROP TABLE old_chunk;
    CREATE INDEX chunk_revision ON chunk (revision);
    CREATE INDEX chunk_digest ON chunk (digest);

    ALTER TABLE reply RENAME TO old_reply;
    CREATE TABLE reply (                        -- cached replies of language models
        digest BLOB PRIMARY KEY,                -- of the request
        text BLOB NOT NULL,                     -- packed
        complete INTEGER NOT NULL
    ) WITHOUT ROWID;
    INSERT INTO reply SELECT digest, packed(text), complete FROM old_reply ORDER BY digest;
    DROP TABLE old_reply;

    ALTER TABLE vector RENAME TO old_vector;
    CREATE TABLE vector (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,            -- of the text embedded
        uses INTEGER NOT NULL,                  -- facts, forms, windows and summaries that point here
        data BLOB NOT NULL                      -- little-endian float16
    );
    INSERT INTO vector SELECT id, digest, uses, halved(data) FROM old_vector ORDER BY id;
    DROP TABLE old_vector;
    CREATE INDEX vector_unused ON vector (id) WHERE uses = 0;
    UPDATE new_vector SET data = halved(data);

    DROP INDEX attribute_value_best;            -- not needed any more (entity_tables.py)
    """,
    """
    ALTER TABLE chunk ADD COLUMN headings TEXT NOT NULL DEFAULT '[]';  -- JSON: of the sections that it is part of
    """,
)

VERSION = len(MIGRATIONS)
NAMES_RENEWED_IN = 3
"""The last version that changed the loose names of entities (``identity.called``)."""
TEXTS_CUT_IN = 7
"""The version that introduced texts stored in pieces (``texts.cut_whole_texts``)."""
PACKED_IN = 8
"""The version that introduced compressed evidence and replies and half-precision vectors."""
APPLICATION_ID = 0x506F6C79  # "Poly": identifies a Polyadic store among SQLite files
