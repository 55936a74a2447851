"""Migration from version 1 (schema.py) to 2; never changed after its release.

A B-tree index takes no text longer than 2.7 kB, so long texts are looked up by digest. The digests are generated
columns rather than expression indexes: under row-level security, an index is used for plain column comparisons only.
"""

_WORKSPACE = "workspace bigint NOT NULL DEFAULT current_setting('polyadic.workspace')::bigint"

SECOND = f"""
CREATE TABLE taken (                            -- last lease holder of a document (lease_sessions.py)
    document bytea, holder text NOT NULL, {_WORKSPACE}, PRIMARY KEY (workspace, document)
);

CREATE FUNCTION brief(long text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT substring(sha256(convert_to(long, 'UTF8')) FROM 1 FOR 16)
$$;

ALTER TABLE entity ADD COLUMN key_brief bytea GENERATED ALWAYS AS (brief(key)) STORED;
DROP INDEX entity_workspace_key_idx;
CREATE INDEX ON entity (workspace, key_brief);

ALTER TABLE said ADD COLUMN value_brief bytea GENERATED ALWAYS AS (brief(value)) STORED;
ALTER TABLE said DROP CONSTRAINT said_pkey;
ALTER TABLE said ADD PRIMARY KEY (workspace, entity, attribute, value_brief);
DROP INDEX said_workspace_entity_value_idx;
CREATE INDEX ON said (workspace, entity) WHERE vector IS NOT NULL;

ALTER TABLE called ADD COLUMN loose_brief bytea GENERATED ALWAYS AS (brief(loose)) STORED;
ALTER TABLE called DROP CONSTRAINT called_pkey;
ALTER TABLE called ADD PRIMARY KEY (workspace, loose_brief, entity);

ALTER TABLE revision ADD COLUMN title_key_brief bytea GENERATED ALWAYS AS (brief(title_key)) STORED,
    ADD COLUMN title_bare_brief bytea GENERATED ALWAYS AS (brief(title_bare)) STORED;
DROP INDEX revision_workspace_left_idx;
DROP INDEX revision_workspace_left_idx1;
CREATE INDEX ON revision (workspace, title_key_brief);
CREATE INDEX ON revision (workspace, title_bare_brief);

-- The function of this name in SQLite: keys and values of an object.
CREATE FUNCTION json_each(told text) RETURNS TABLE (key text, value text) LANGUAGE sql IMMUTABLE AS $$
    SELECT key, value FROM json_each_text(told::json)
$$;

-- Documents are listed in the order of their sources: by an indexed prefix, then by the whole source.
ALTER TABLE document ADD COLUMN source_begins text COLLATE "C" GENERATED ALWAYS AS (left(source, 500)) STORED;
DROP INDEX document_workspace_source_idx;
CREATE INDEX ON document (workspace, source_begins) WHERE current IS NOT NULL;
"""
