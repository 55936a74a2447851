"""Migration from version 1 (schema.py) to 2; never changed after its release.

A B-tree index takes no text longer than 2.7 kB, so long texts are looked up by digest. The digests are generated
columns rather than expression indexes: under row-level security, an index is used for plain column comparisons only.
"""

_WORKSPACE = "workspace bigint NOT NULL DEFAULT current_setting('polyadic.workspace')::bigint"

SECOND = f"""
CREATE TABLE lease (                            -- last lease holder of a document (lease_sessions.py)
    document bytea, holder text NOT NULL, {_WORKSPACE}, PRIMARY KEY (workspace, document)
);

CREATE FUNCTION short_digest(long text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT substring(sha256(convert_to(long, 'UTF8')) FROM 1 FOR 16)
$$;

ALTER TABLE entity ADD COLUMN key_digest bytea GENERATED ALWAYS AS (short_digest(key)) STORED;
DROP INDEX entity_workspace_key_idx;
CREATE INDEX ON entity (workspace, key_digest);

ALTER TABLE attribute_value ADD COLUMN value_digest bytea GENERATED ALWAYS AS (short_digest(value)) STORED;
ALTER TABLE attribute_value DROP CONSTRAINT attribute_value_pkey;
ALTER TABLE attribute_value ADD PRIMARY KEY (workspace, entity, attribute, value_digest);
DROP INDEX attribute_value_workspace_entity_value_idx;
CREATE INDEX ON attribute_value (workspace, entity) WHERE vector IS NOT NULL;

ALTER TABLE entity_alias ADD COLUMN alias_digest bytea GENERATED ALWAYS AS (short_digest(alias)) STORED;
ALTER TABLE entity_alias DROP CONSTRAINT entity_alias_pkey;
ALTER TABLE entity_alias ADD PRIMARY KEY (workspace, alias_digest, entity);

ALTER TABLE revision ADD COLUMN title_key_digest bytea GENERATED ALWAYS AS (short_digest(title_key)) STORED,
    ADD COLUMN title_bare_digest bytea GENERATED ALWAYS AS (short_digest(title_bare)) STORED;
DROP INDEX revision_workspace_left_idx;
DROP INDEX revision_workspace_left_idx1;
CREATE INDEX ON revision (workspace, title_key_digest);
CREATE INDEX ON revision (workspace, title_bare_digest);

-- The function of this name in SQLite: keys and values of an object.
CREATE FUNCTION json_each(object text) RETURNS TABLE (key text, value text) LANGUAGE sql IMMUTABLE AS $$
    SELECT key, value FROM json_each_text(object::json)
$$;

-- Documents are listed in the order of their sources: by an indexed prefix, then by the whole source.
ALTER TABLE document ADD COLUMN source_prefix text COLLATE "C" GENERATED ALWAYS AS (left(source, 500)) STORED;
DROP INDEX document_workspace_source_idx;
CREATE INDEX ON document (workspace, source_prefix) WHERE current IS NOT NULL;
"""
