"""Migration from version 4 (schema_4.py) to 5; never changed after its release.

Inserting a vector into an HNSW index takes several times as long as all other writes for it. Small workspaces are
searched exhaustively, so their vectors are not indexed until there are many (hnsw.py).
"""

FIFTH = """
ALTER TABLE search_vector ADD COLUMN indexed boolean NOT NULL DEFAULT false;
ALTER TABLE row_count ADD COLUMN indexed boolean NOT NULL DEFAULT false;

CREATE OR REPLACE FUNCTION replace_vector(of_side text, of_row bigint, was bigint, becomes bigint)
    RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF was IS DISTINCT FROM becomes THEN
        IF was IS NOT NULL THEN
            DELETE FROM search_vector n WHERE n.side = of_side AND n.row = of_row AND n.vector = was;
        END IF;
        IF becomes IS NOT NULL THEN
            INSERT INTO search_vector (side, row, vector, dimension, data, indexed)
                SELECT of_side, of_row, v.id, vector_dims(v.data), v.data,
                    coalesce((SELECT h.indexed FROM row_count h WHERE h.side = of_side), false)
                FROM vector v WHERE v.id = becomes
                ON CONFLICT DO NOTHING;
        END IF;
    END IF;
END $$;

CREATE FUNCTION create_vector_index(part text, dimension bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    of_side text;
BEGIN
    IF dimension > 4000 THEN
        RETURN;  -- the maximum for an index
    END IF;
    FOREACH of_side IN ARRAY ARRAY['entity', 'fact', 'chunk'] LOOP
        EXECUTE format(
            'CREATE INDEX %I ON %I USING hnsw ((data::halfvec(%s)) halfvec_ip_ops) WHERE side = %L AND indexed',
            part || '_' || of_side, part, dimension, of_side
        );
    END LOOP;
END $$;
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
    PERFORM create_vector_index(part, dimension);
END $$;

-- Rebuild the existing indexes: with the vectors of large workspaces only.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT i.indexrelid::regclass AS old FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_am a ON a.oid = c.relam WHERE a.amname = 'hnsw' AND c.relnamespace = 'polyadic'::regnamespace
    LOOP
        EXECUTE format('DROP INDEX %s', one.old);
    END LOOP;
    ALTER TABLE search_vector NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE row_count NO FORCE ROW LEVEL SECURITY;
    UPDATE row_count SET indexed = true WHERE rows > 5000;
    UPDATE search_vector n SET indexed = true FROM row_count h
        WHERE h.workspace = n.workspace AND h.side = n.side AND h.indexed;
    ALTER TABLE search_vector FORCE ROW LEVEL SECURITY;
    ALTER TABLE row_count FORCE ROW LEVEL SECURITY;
    FOR one IN
        SELECT c.relname::text AS part FROM pg_inherits h JOIN pg_class c ON c.oid = h.inhrelid
        WHERE h.inhparent = 'search_vector'::regclass
    LOOP
        PERFORM create_vector_index(one.part, substr(one.part, 15)::bigint);
    END LOOP;
END $$;
"""
