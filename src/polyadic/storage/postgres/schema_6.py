"""Migration from version 5 (schema_5.py) to 6; never changed after its release.

An HNSW index is created when the first workspace has become large: building it from all vectors takes a fraction of the
time of inserting them one by one.
"""

SIXTH = """
CREATE OR REPLACE FUNCTION create_vector_partition(dimension bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
DECLARE
    part text := 'search_vector_' || dimension;
BEGIN
    IF to_regclass(part) IS NOT NULL THEN
        RETURN;
    END IF;
    LOCK TABLE search_vector IN SHARE ROW EXCLUSIVE MODE;
    IF to_regclass(part) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF search_vector FOR VALUES IN (%s)', part, dimension);
    PERFORM enable_row_security(part);
END $$;

-- Create the index of one side if missing. It blocks writes to search_vector until the transaction ends, so two
-- transactions that both create one would deadlock; the lock that may_create_vector_index tries lets only one of them
-- in.
DROP FUNCTION create_vector_index(text, bigint);
CREATE FUNCTION create_vector_index(of_side text, dimension bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
DECLARE
    part text := 'search_vector_' || dimension;
BEGIN
    IF dimension > 4000 OR to_regclass(part || '_' || of_side) IS NOT NULL THEN
        RETURN;  -- the maximum for an index
    END IF;
    PERFORM pg_advisory_xact_lock(1349479546);
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw ((data::halfvec(%s)) halfvec_ip_ops)'
        ' WHERE side = %L AND indexed', part || '_' || of_side, part, dimension, of_side
    );
END $$;
-- Return whether the index exists or this transaction may create it, as no other is creating one.
CREATE FUNCTION may_create_vector_index(of_side text, dimension bigint) RETURNS boolean LANGUAGE sql AS $$
    SELECT to_regclass('search_vector_' || dimension || '_' || of_side) IS NOT NULL
        OR pg_try_advisory_xact_lock(1349479546)
$$;

-- Update the planner's statistics after a bulk load.
CREATE FUNCTION analyze_tables() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
BEGIN
    ANALYZE document, revision, text_segment, chunk, passage_fts, vector, passage_window, fact, entity,
        attribute_value, entity_alias, participation, statement, search_vector;
END $$;

-- Every search scans the index's pending list of recent entries: keep it short (in kB).
ALTER INDEX passage_fts_words_idx SET (gin_pending_list_limit = 256);

-- Drop empty indexes; they are created again when needed.
DO $$
DECLARE
    one record;
    is_used boolean;
BEGIN
    FOR one IN
        SELECT c.relname::text AS part, s.side FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
        CROSS JOIN (VALUES ('entity'), ('fact'), ('chunk')) s (side) WHERE h.inhparent = 'search_vector'::regclass
    LOOP
        EXECUTE format('ALTER TABLE %I NO FORCE ROW LEVEL SECURITY', one.part);
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE side = %L AND indexed)', one.part, one.side) INTO is_used;
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', one.part);
        IF NOT is_used THEN
            EXECUTE format('DROP INDEX IF EXISTS %I', one.part || '_' || one.side);
        END IF;
    END LOOP;
END $$;
"""
