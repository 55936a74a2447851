"""Schema of the SQLite store and its migrations.

The source of truth is ``document``, ``revision``, ``piece`` (of its text) and ``chunk`` (with its evidence as packed
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
        recipe TEXT NOT NULL,                   -- how it was cut and read
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
        fresh INTEGER NOT NULL,
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
    CREATE TABLE passage_window (               -- a stretch of a chunk that fits the embedder
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
        evidence INTEGER NOT NULL,              -- how often it is stated
        score INTEGER NOT NULL,                 -- sum of its scores, in hundredths
        vector INTEGER
    );
    CREATE TABLE entity (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        key TEXT NOT NULL UNIQUE,
        name TEXT NOT NULL,                     -- as evidence says most often; likewise type and description
        type TEXT NOT NULL,
        description TEXT NOT NULL,
        evidence INTEGER NOT NULL,
        score INTEGER NOT NULL,                 -- sum of its scores, in hundredths
        facts INTEGER NOT NULL,
        chunks INTEGER NOT NULL
    );
    CREATE TABLE said (                         -- how often evidence gave which name, type, description, form
        entity INTEGER NOT NULL,
        attribute TEXT NOT NULL,
        value TEXT NOT NULL,
        times INTEGER NOT NULL,
        vector INTEGER,                         -- of a form among the best supported
        PRIMARY KEY (entity, attribute, value)
    ) WITHOUT ROWID;
    CREATE INDEX said_best ON said (entity, attribute, times DESC, value);
    CREATE INDEX said_embedded ON said (entity, value) WHERE vector IS NOT NULL;
    CREATE TABLE called (                       -- loose names, to match questions
        loose TEXT NOT NULL,
        entity INTEGER NOT NULL,
        PRIMARY KEY (loose, entity)
    ) WITHOUT ROWID;
    CREATE INDEX called_entity ON called (entity);
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

    CREATE VIRTUAL TABLE words USING fts5 (title, text, content = '', tokenize = 'unicode61 remove_diacritics 2');
    """,
    """
    ALTER TABLE revision ADD COLUMN pages TEXT NOT NULL DEFAULT '[]';      -- JSON: characters at which pages begin
    ALTER TABLE revision ADD COLUMN extractor TEXT NOT NULL DEFAULT '';    -- what reads its chunks
    UPDATE revision SET extractor = json_extract(recipe, '$.extractor') WHERE json_valid(recipe);
    ALTER TABLE revision ADD COLUMN title_bare TEXT NOT NULL DEFAULT '';   -- title_key without "(film)" at its end
    UPDATE revision SET title_bare = CASE WHEN title_key LIKE '%_ (%)'
        THEN substr(title_key, 1, instr(title_key, ' (') - 1) ELSE title_key END;
    ALTER TABLE chunk ADD COLUMN failure TEXT;         -- why there is no evidence, where extraction failed

    CREATE TABLE reply (                        -- what language models answered, so that nothing is paid for twice
        digest BLOB PRIMARY KEY,                -- of the request
        text TEXT NOT NULL,
        complete INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE call (                         -- the ledger: every call that was paid for
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
    -- How often evidence of the fact names the entity, once the decisions on who is who are heeded.
    ALTER TABLE participation ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
    UPDATE participation SET times = (SELECT f.evidence FROM fact f WHERE f.id = participation.fact);
    CREATE TABLE decision (                     -- which names mean one entity, which name several (see overlay.py)
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        at TEXT NOT NULL,                       -- ISO 8601, UTC
        content TEXT NOT NULL                   -- JSON
    );

    ALTER TABLE call ADD COLUMN document BLOB;  -- digest of the document that it was about; NULL: about none
    CREATE INDEX call_document ON call (document) WHERE document IS NOT NULL;

    CREATE TABLE staged (                       -- revisions that nobody sees yet; few, however large the store
        revision INTEGER PRIMARY KEY
    );
    INSERT INTO staged SELECT r.id FROM revision r JOIN document d ON d.id = r.document WHERE r.id IS NOT d.current;
    CREATE INDEX document_unpublished ON document (id) WHERE current IS NULL;

    CREATE TABLE asked (                        -- questions whose answers are awaited from batch files
        digest BLOB PRIMARY KEY,
        content TEXT NOT NULL                   -- JSON
    ) WITHOUT ROWID;
    CREATE TABLE awaited (                      -- requests whose replies are awaited from batch files
        digest BLOB NOT NULL,                   -- of the request, as in reply
        asker BLOB NOT NULL,                    -- digest of the document or question that needs the reply
        purpose TEXT NOT NULL,
        calls INTEGER NOT NULL DEFAULT 0,       -- what was paid for responses while this waits
        prompt_tokens INTEGER NOT NULL DEFAULT 0,
        completion_tokens INTEGER NOT NULL DEFAULT 0,
        money REAL NOT NULL DEFAULT 0,
        PRIMARY KEY (digest, asker)
    ) WITHOUT ROWID;
    CREATE INDEX awaited_asker ON awaited (asker);
    CREATE TABLE entered (                      -- responses that are in the ledger, also when nothing waits any more
        digest BLOB PRIMARY KEY                 -- of the response
    ) WITHOUT ROWID;

    CREATE TABLE new_vector (                   -- of another embedding model, until the store is switched to it
        digest BLOB PRIMARY KEY,                -- of the text embedded
        data BLOB NOT NULL                      -- little-endian float32
    ) WITHOUT ROWID;
    """,
    """
    -- The hierarchy. Digests stand one behind the other, 16 bytes each; what is stale has kept its members alone.
    CREATE TABLE theme (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        kind TEXT NOT NULL,                     -- cluster or community
        level INTEGER NOT NULL,                 -- of a community; of a cluster the layer of its members
        stale INTEGER NOT NULL,
        tokens INTEGER NOT NULL,                -- of the report
        basis TEXT NOT NULL,                    -- of the report
        report TEXT,                            -- JSON
        parent BLOB NOT NULL,                   -- of a community
        own BLOB NOT NULL,                      -- of a cluster: the members that are nowhere else more likely
        members BLOB NOT NULL,
        sources BLOB NOT NULL                   -- whose words the summaries or the report were made from
    );
    CREATE TABLE theme_source (                 -- what makes a theme stale
        source BLOB NOT NULL,                   -- digest of an entity, a fact or a summary
        theme INTEGER NOT NULL,
        words BLOB NOT NULL,                    -- what it was told of the source (theme_words.py); of members nothing
        PRIMARY KEY (source, theme)
    ) WITHOUT ROWID;
    CREATE TABLE summary (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL UNIQUE,
        theme INTEGER NOT NULL,                 -- the cluster
        name TEXT NOT NULL,
        type TEXT NOT NULL,
        description TEXT NOT NULL,
        author TEXT NOT NULL,                   -- the model that wrote it, or extractive
        members BLOB NOT NULL,                  -- those that it covers
        vector INTEGER                          -- of its form, as entities have them
    );
    CREATE INDEX summary_theme ON summary (theme);
    """,
    """
    CREATE INDEX document_source ON document (source) WHERE current IS NOT NULL;    -- listing begins anywhere
    """,
    """
    -- What each change touched, so that arrays of an earlier state can be brought forward (changes.py); the latest few.
    CREATE TABLE state (
        seq INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE,              -- drawn; the generation in meta is that of the last one
        total INTEGER NOT NULL,                 -- what this change and all before it touched (changes.py)
        entities BLOB NOT NULL,                 -- keys of the tables, 8 bytes each, little-endian
        facts BLOB NOT NULL,
        chunks BLOB NOT NULL
    );
    INSERT INTO state (name, total, entities, facts, chunks)
        SELECT value, 0, x'', x'', x'' FROM meta WHERE key = 'generation';
    CREATE INDEX revision_title ON revision (title_key);
    CREATE INDEX revision_title_bare ON revision (title_bare);
    """,
    """
    CREATE TABLE piece (                        -- of the text of a revision, so that quoting reads no more (texts.py)
        id INTEGER PRIMARY KEY,                 -- made of the revision and of the place in its text
        text TEXT NOT NULL
    );
    ALTER TABLE revision ADD COLUMN characters INTEGER NOT NULL DEFAULT 0;  -- of its text
    """,
    """
    -- In less room: evidence and replies packed (packing.py), vectors in half precision (half_precision.py).
    ALTER TABLE chunk RENAME TO old_chunk;
    CREATE TABLE chunk (
        id INTEGER PRIMARY KEY,
        digest BLOB NOT NULL,
        revision INTEGER NOT NULL,
        start INTEGER NOT NULL,
        stop INTEGER NOT NULL,
        fresh INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        told INTEGER NOT NULL DEFAULT 0,        -- how many pieces of evidence there are
        evidence BLOB,                          -- JSON, packed (see serialization.py); NULL: not extracted yet
        failure TEXT                            -- why there is no evidence, where extraction failed
    );
    INSERT INTO chunk SELECT id, digest, revision, start, stop, fresh, tokens,
        iif(json_valid(evidence), json_array_length(evidence), 0), packed(evidence), failure FROM old_chunk ORDER BY id;
    DROP TABLE old_chunk;
    CREATE INDEX chunk_revision ON chunk (revision);
    CREATE INDEX chunk_digest ON chunk (digest);

    ALTER TABLE reply RENAME TO old_reply;
    CREATE TABLE reply (                        -- what language models answered, so that nothing is paid for twice
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

    DROP INDEX said_best;                       -- the foremost are known without it (entity_tables.py)
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
