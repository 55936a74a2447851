"""What the sixth version of the tables in PostgreSQL has beside the fifth (schema_5.py); never edited once released.

An index of what is near is made when the first workspace has become large: all its vectors at once take a fraction of
the time that they take one by one.
"""

SIXTH = """
CREATE OR REPLACE FUNCTION make_near(dimension bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
DECLARE
    part text := 'near_' || dimension;
BEGIN
    IF to_regclass(part) IS NOT NULL THEN
        RETURN;
    END IF;
    LOCK TABLE near IN SHARE ROW EXCLUSIVE MODE;
    IF to_regclass(part) IS NOT NULL THEN
        RETURN;
    END IF;
    EXECUTE format('CREATE TABLE %I PARTITION OF near FOR VALUES IN (%s)', part, dimension);
    PERFORM isolate(part);
END $$;

-- Let there be an index of one side. Others write no vectors until this transaction has ended, and of two who both wait
-- for that neither would get it; so they take turns, by the lock that may_index speaks of.
DROP FUNCTION index_near(text, bigint);
CREATE FUNCTION index_near(of_side text, dimension bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
DECLARE
    part text := 'near_' || dimension;
BEGIN
    IF dimension > 4000 OR to_regclass(part || '_' || of_side) IS NOT NULL THEN
        RETURN;  -- an index takes no longer ones
    END IF;
    PERFORM pg_advisory_xact_lock(1349479546);
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw ((data::halfvec(%s)) halfvec_ip_ops)'
        ' WHERE side = %L AND indexed', part || '_' || of_side, part, dimension, of_side
    );
END $$;
-- Whether there is one, or may be: nobody else is making any.
CREATE FUNCTION may_index(of_side text, dimension bigint) RETURNS boolean LANGUAGE sql AS $$
    SELECT to_regclass('near_' || dimension || '_' || of_side) IS NOT NULL OR pg_try_advisory_xact_lock(1349479546)
$$;

-- Let the server know what there is, after much has come at once.
CREATE FUNCTION look_through() RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
BEGIN
    ANALYZE document, revision, piece, chunk, spoken, vector, passage_window, fact, entity, said, called, participation,
        statement, near;
END $$;

-- Words that came lately stand in a list, which whoever asks for words looks through: kept short (in kB).
ALTER INDEX spoken_words_idx SET (gin_pending_list_limit = 256);

-- Indexes in which nothing is yet are made when something is.
DO $$
DECLARE
    one record;
    is_used boolean;
BEGIN
    FOR one IN
        SELECT c.relname::text AS part, s.side FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
        CROSS JOIN (VALUES ('entity'), ('fact'), ('chunk')) s (side) WHERE h.inhparent = 'near'::regclass
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
