-- Workspaces and their isolation, and what PostgreSQL adds to the tables of every engine (sql/tables.py).

CREATE TABLE workspace (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text COLLATE "C" NOT NULL UNIQUE);
GRANT SELECT, INSERT, DELETE ON workspace TO polyadic_workspaces;

-- Enable row-level security on a table: transactions see only the rows of their workspace.
CREATE FUNCTION enable_row_security(part text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    condition text := 'workspace = (SELECT current_setting(''polyadic.workspace'')::bigint)';
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format(
        'CREATE POLICY own_workspace ON %I USING (' || condition || ') WITH CHECK (' || condition || ')', part
    );
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO polyadic_workspaces', part);
END $$;

ALTER TABLE chunk
    ADD COLUMN sort_key bytea,                  -- document digest and start offset: the sort order of passages
    ADD COLUMN topic_entity bigint;             -- its topic entity (topic_entities.py)
CREATE INDEX ON chunk (workspace, topic_entity, sort_key) WHERE topic_entity IS NOT NULL;

-- Documents are listed in the order of their sources: by an indexed prefix, then by the whole source.
ALTER TABLE document ADD COLUMN source_prefix text COLLATE "C" GENERATED ALWAYS AS (left(source, 500)) STORED;
CREATE INDEX ON document (workspace, source_prefix) WHERE current IS NOT NULL;

-- The functions of these names in SQLite.
CREATE FUNCTION hex(data bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT encode(data, 'hex') $$;
CREATE FUNCTION json_each(object text) RETURNS TABLE (key text, value text) LANGUAGE sql IMMUTABLE AS $$
    SELECT key, value FROM json_each_text(object::json)
$$;

-- Move the key sequence of a table past a key, with a margin for keys that are drawn concurrently.
CREATE FUNCTION advance(part text, used_key bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
DECLARE
    sequence text := pg_get_serial_sequence(quote_ident(part), 'id');
BEGIN
    IF used_key > 1::bigint << 40 THEN
        RAISE EXCEPTION 'a key of % is %, which is out of range', part, used_key;
    END IF;
    IF nextval(sequence) <= used_key THEN
        PERFORM setval(sequence, used_key + 100000);
    END IF;
END $$;

-- Update the planner's statistics after a bulk load.
CREATE FUNCTION analyze_tables() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
BEGIN
    ANALYZE document, revision, text_segment, chunk, passage_fts, vector, passage_window, fact, entity,
        attribute_value, entity_alias, participation, statement, search_vector;
END $$;
