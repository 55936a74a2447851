-- The searched vectors: one partition for each dimension, filled by triggers.
--
-- Inserting a vector into an HNSW index takes several times as long as all other writes for it, so a partition has an
-- index of a node type only once a workspace has become large, with the vectors of large workspaces only
-- (hnsw.py).

CREATE TABLE search_vector (
    node_type text COLLATE "C",
    row bigint,
    vector bigint,
    dimension bigint,
    data halfvec NOT NULL,
    indexed boolean NOT NULL DEFAULT false,
    workspace bigint NOT NULL DEFAULT current_setting('polyadic.workspace')::bigint,
    PRIMARY KEY (workspace, node_type, row, vector, dimension)
) PARTITION BY LIST (dimension);
CREATE TABLE row_count (                        -- rows of each node type, and of the passages their words
    node_type text COLLATE "C",
    rows bigint NOT NULL,
    words bigint NOT NULL DEFAULT 0,
    indexed boolean NOT NULL DEFAULT false,
    workspace bigint NOT NULL DEFAULT current_setting('polyadic.workspace')::bigint,
    PRIMARY KEY (workspace, node_type)
);

-- Replace the vector of a row of one node type; NULL means no vector.
CREATE FUNCTION replace_vector(of_type text, of_row bigint, was bigint, becomes bigint)
    RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF was IS DISTINCT FROM becomes THEN
        IF was IS NOT NULL THEN
            DELETE FROM search_vector n WHERE n.node_type = of_type AND n.row = of_row AND n.vector = was;
        END IF;
        IF becomes IS NOT NULL THEN
            INSERT INTO search_vector (node_type, row, vector, dimension, data, indexed)
                SELECT of_type, of_row, v.id, vector_dims(v.data), v.data,
                    coalesce((SELECT h.indexed FROM row_count h WHERE h.node_type = of_type), false)
                FROM vector v WHERE v.id = becomes
                ON CONFLICT DO NOTHING;
        END IF;
    END IF;
END $$;
CREATE FUNCTION add_rows(of_type text, more bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO row_count (node_type, rows) VALUES (of_type, more)
        ON CONFLICT (workspace, node_type) DO UPDATE SET rows = row_count.rows + excluded.rows
$$;

CREATE FUNCTION fact_vector_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM add_rows('fact', 1);
    ELSIF TG_OP = 'DELETE' THEN
        PERFORM add_rows('fact', -1), replace_vector('fact', OLD.id, OLD.vector, NULL);
    ELSE
        PERFORM replace_vector('fact', NEW.id, OLD.vector, NEW.vector);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER replace_vector AFTER INSERT OR DELETE OR UPDATE OF vector ON fact
    FOR EACH ROW EXECUTE FUNCTION fact_vector_changed();

CREATE FUNCTION form_vector_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM replace_vector('entity', OLD.entity, OLD.vector, NULL);
    ELSE
        PERFORM replace_vector('entity', NEW.entity, OLD.vector, NEW.vector);
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER replace_vector AFTER DELETE OR UPDATE OF vector ON attribute_value
    FOR EACH ROW EXECUTE FUNCTION form_vector_changed();

CREATE FUNCTION entity_count_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_rows('entity', CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END $$;
CREATE TRIGGER add_rows AFTER INSERT OR DELETE ON entity FOR EACH ROW EXECUTE FUNCTION entity_count_changed();

CREATE FUNCTION window_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM replace_vector('chunk', NEW.chunk, NULL, NEW.vector);
        IF NEW.ordinal = 0 THEN
            PERFORM add_rows('chunk', 1);
        END IF;
    ELSE
        PERFORM replace_vector('chunk', OLD.chunk, OLD.vector, NULL);
        IF OLD.ordinal = 0 THEN
            PERFORM add_rows('chunk', -1);
        END IF;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER replace_vector AFTER INSERT OR DELETE ON passage_window FOR EACH ROW EXECUTE FUNCTION window_changed();

-- Create the partition of search_vector for a dimension if it is missing.
CREATE FUNCTION create_vector_partition(dimension bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
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

-- Create the index of one node type if missing. It is built with twice the default of ef_construction, because a search
-- then misses a third as many of the nearest vectors, and grows with the default, because inserting would otherwise
-- take nearly twice as long (docs/performance-scale.md). The creation blocks writes to search_vector until the
-- transaction ends, so two transactions that both create one would deadlock; the lock that may_create_vector_index
-- tries lets only one of them in.
CREATE FUNCTION create_vector_index(of_type text, dimension bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
DECLARE
    part text := 'search_vector_' || dimension;
    index text := part || '_' || of_type;
BEGIN
    IF dimension > 4000 OR to_regclass(index) IS NOT NULL THEN
        RETURN;  -- the maximum for an index
    END IF;
    PERFORM pg_advisory_xact_lock(1349479546);
    EXECUTE format(
        'CREATE INDEX IF NOT EXISTS %I ON %I USING hnsw ((data::halfvec(%s)) halfvec_ip_ops)'
        ' WITH (ef_construction = 128) WHERE node_type = %L AND indexed', index, part, dimension, of_type
    );
    EXECUTE format('ALTER INDEX %I SET (ef_construction = 64)', index);
END $$;
-- Return whether the index exists or this transaction may create it, as no other is creating one.
CREATE FUNCTION may_create_vector_index(of_type text, dimension bigint) RETURNS boolean LANGUAGE sql AS $$
    SELECT to_regclass('search_vector_' || dimension || '_' || of_type) IS NOT NULL
        OR pg_try_advisory_xact_lock(1349479546)
$$;
