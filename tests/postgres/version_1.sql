CREATE SCHEMA polyadic;
CREATE FUNCTION polyadic.add_rows(of_side text, more bigint) RETURNS void
    LANGUAGE sql
    AS $$
    INSERT INTO row_count (side, rows) VALUES (of_side, more)
        ON CONFLICT (workspace, side) DO UPDATE SET rows = row_count.rows + excluded.rows
$$;
CREATE FUNCTION polyadic.entity_count_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM add_rows('entity', CASE WHEN TG_OP = 'INSERT' THEN 1 ELSE -1 END);
    RETURN NULL;
END $$;
CREATE FUNCTION polyadic.fact_vector_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION polyadic.form_vector_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM replace_vector('entity', OLD.entity, OLD.vector, NULL);
    ELSE
        PERFORM replace_vector('entity', NEW.entity, OLD.vector, NEW.vector);
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION polyadic.hex(data bytea) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT encode(data, 'hex') $$;
CREATE FUNCTION polyadic.enable_row_security(part text) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    condition text := 'workspace = (SELECT current_setting(''polyadic.workspace'')::bigint)';
BEGIN
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY own_workspace ON %I USING (' || condition || ') WITH CHECK (' || condition || ')', part);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO polyadic_workspaces', part);
END $$;
CREATE FUNCTION polyadic.create_vector_partition(dimension bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'polyadic', 'public'
    AS $$
DECLARE
    part text := 'search_vector_' || dimension;
    of_side text;
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
    FOREACH of_side IN ARRAY ARRAY['entity', 'fact', 'chunk'] LOOP
        EXECUTE format(
            'CREATE INDEX ON %I USING hnsw ((data::halfvec(%s)) halfvec_ip_ops) WHERE side = %L',
            part, dimension, of_side
        );
    END LOOP;
END $$;
CREATE FUNCTION polyadic.replace_vector(of_side text, of_row bigint, was bigint, becomes bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF was IS DISTINCT FROM becomes THEN
        IF was IS NOT NULL THEN
            DELETE FROM search_vector n WHERE n.side = of_side AND n.row = of_row AND n.vector = was;
        END IF;
        IF becomes IS NOT NULL THEN
            INSERT INTO search_vector (side, row, vector, dimension, data)
                SELECT of_side, of_row, v.id, vector_dims(v.data), v.data FROM vector v WHERE v.id = becomes
                ON CONFLICT DO NOTHING;
        END IF;
    END IF;
END $$;
CREATE FUNCTION polyadic.window_changed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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
CREATE TABLE polyadic.pending_question (
    digest bytea NOT NULL,
    content text NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.pending_question FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.pending_request (
    digest bytea NOT NULL,
    requester bytea NOT NULL,
    purpose text NOT NULL COLLATE pg_catalog."C",
    calls bigint DEFAULT 0 NOT NULL,
    prompt_tokens bigint DEFAULT 0 NOT NULL,
    completion_tokens bigint DEFAULT 0 NOT NULL,
    money double precision DEFAULT 0 NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.pending_request FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.model_call (
    id bigint NOT NULL,
    at text NOT NULL,
    purpose text NOT NULL COLLATE pg_catalog."C",
    model text NOT NULL COLLATE pg_catalog."C",
    prompt_tokens bigint NOT NULL,
    completion_tokens bigint NOT NULL,
    money double precision NOT NULL,
    seconds double precision NOT NULL,
    document bytea,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.model_call FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.model_call ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.model_call_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.entity_alias (
    alias text NOT NULL COLLATE pg_catalog."C",
    entity bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.entity_alias FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.chunk (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    revision bigint NOT NULL,
    start bigint NOT NULL,
    stop bigint NOT NULL,
    new_from bigint NOT NULL,
    tokens bigint NOT NULL,
    evidence_count bigint DEFAULT 0 NOT NULL,
    evidence bytea,
    failure text,
    words tsvector,
    sort_key bytea,
    topic_entity bigint,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.chunk FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.chunk ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.chunk_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.topic_candidate (
    entity bigint NOT NULL,
    chunk bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.topic_candidate FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.decision (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    at text NOT NULL,
    content text NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.decision FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.decision ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.decision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.document (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    current bigint,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.document FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.document ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.document_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.recorded_response (
    digest bytea NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.recorded_response FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.entity (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    evidence bigint NOT NULL,
    score bigint NOT NULL,
    facts bigint NOT NULL,
    chunks bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.entity FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.fact (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    text text NOT NULL,
    tokens bigint NOT NULL,
    arity bigint NOT NULL,
    evidence bigint NOT NULL,
    score bigint NOT NULL,
    vector bigint,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.fact FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.row_count (
    side text NOT NULL COLLATE pg_catalog."C",
    rows bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.row_count FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.meta (
    key text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.meta FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.search_vector (
    side text NOT NULL COLLATE pg_catalog."C",
    "row" bigint NOT NULL,
    vector bigint NOT NULL,
    dimension bigint NOT NULL,
    data public.halfvec NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
)
PARTITION BY LIST (dimension);
ALTER TABLE ONLY polyadic.search_vector FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.search_vector_16 (
    side text CONSTRAINT search_vector_side_not_null NOT NULL COLLATE pg_catalog."C",
    "row" bigint CONSTRAINT search_vector_row_not_null NOT NULL,
    vector bigint CONSTRAINT search_vector_vector_not_null NOT NULL,
    dimension bigint CONSTRAINT search_vector_dimension_not_null NOT NULL,
    data public.halfvec CONSTRAINT search_vector_data_not_null NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint CONSTRAINT search_vector_workspace_not_null NOT NULL
);
ALTER TABLE ONLY polyadic.search_vector_16 FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.new_vector (
    digest bytea NOT NULL,
    data public.halfvec NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.new_vector FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.participation (
    fact bigint NOT NULL,
    entity bigint NOT NULL,
    occurrences bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.participation FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.passage_window (
    chunk bigint NOT NULL,
    ordinal bigint NOT NULL,
    vector bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.passage_window FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.text_segment (
    id bigint NOT NULL,
    text text NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.text_segment FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.reply (
    digest bytea NOT NULL,
    text bytea NOT NULL,
    complete boolean NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.reply FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.revision (
    id bigint NOT NULL,
    document bigint NOT NULL,
    content text NOT NULL,
    pipeline_config text NOT NULL,
    extractor text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL COLLATE pg_catalog."C",
    title_key text NOT NULL COLLATE pg_catalog."C",
    title_bare text NOT NULL COLLATE pg_catalog."C",
    characters bigint NOT NULL,
    metadata text NOT NULL,
    pages text NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.revision FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.revision ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.revision_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.attribute_value (
    entity bigint NOT NULL,
    attribute text NOT NULL COLLATE pg_catalog."C",
    value text NOT NULL COLLATE pg_catalog."C",
    occurrences bigint NOT NULL,
    vector bigint,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.attribute_value FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.staged_revision (
    revision bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.staged_revision FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.change_log (
    seq bigint NOT NULL,
    name text NOT NULL,
    total bigint NOT NULL,
    entities bytea NOT NULL,
    facts bytea NOT NULL,
    chunks bytea NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.change_log FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.change_log ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.change_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.statement (
    chunk bigint NOT NULL,
    fact bigint NOT NULL,
    start bigint NOT NULL,
    stop bigint NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.statement FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.summary (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    node bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    description text NOT NULL COLLATE pg_catalog."C",
    author text NOT NULL,
    members bytea NOT NULL,
    vector bigint,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.summary FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.summary ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.summary_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.hierarchy_node (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    level bigint NOT NULL,
    stale boolean NOT NULL,
    tokens bigint NOT NULL,
    basis text NOT NULL,
    report text,
    parent bytea NOT NULL,
    primary_members bytea NOT NULL,
    members bytea NOT NULL,
    sources bytea NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.hierarchy_node FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.hierarchy_node ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.hierarchy_node_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.hierarchy_source (
    source bytea NOT NULL,
    node bigint NOT NULL,
    text_digests bytea NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.hierarchy_source FORCE ROW LEVEL SECURITY;
CREATE TABLE polyadic.vector (
    id bigint NOT NULL,
    digest bytea NOT NULL,
    uses bigint NOT NULL,
    data public.halfvec NOT NULL,
    workspace bigint DEFAULT (current_setting('polyadic.workspace'::text))::bigint NOT NULL
);
ALTER TABLE ONLY polyadic.vector FORCE ROW LEVEL SECURITY;
ALTER TABLE polyadic.vector ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME polyadic.vector_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE polyadic.version (
    number bigint NOT NULL
);
CREATE TABLE polyadic.workspace (
    id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE polyadic.workspace ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME polyadic.workspace_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY polyadic.search_vector ATTACH PARTITION polyadic.search_vector_16 FOR VALUES IN ('16');
INSERT INTO polyadic.model_call VALUES
	(1, '2026-11-22T23:03:17.966Z', 'extract', 'told', 10, 10, 0, 1, NULL, 1);
INSERT INTO polyadic.entity_alias VALUES
	('ada lovelace', 1, 1),
	('mercury', 3, 1),
	('sun', 4, 1),
	('charles babbage', 1, 1);
INSERT INTO polyadic.chunk VALUES
	(2, '\x5dd4c4655e7bad7c0cc16853235d7206', 2, 0, 30, 0, 5, 1, '\x785e8b8e56f24d2d4a2e2daa5428482c2e4e4d51484a4dcb2f4a5528c94855082ecdd353d2b1d033d0514aaa54c848cc4b51d2898e36d03136888d0532e03a350a7212f3524b349574944a3232f3d281b4928e99819e01501550046c10a65c6c6c2c00ef032626', NULL, '''before'':5 ''mercury'':1,3 ''passed'':4 ''planet'':2 ''sun'':7 ''the'':6', '\xf148925b1c3e14eec5e4ca9b3d6585e40000000000000000', 3, 1),
	(1, '\x83205bd74f4e25940b99afb881dfbddd', 1, 0, 43, 0, 7, 1, '\x785e658c410a85300c05af12b20ea5a0885bfddb7f8392456a831534828ae0eded565dbd81374c08d82581ff7aea2c83c2a207fcb26cb3eed04b8c322a4c567e4bab39a4d679c27841164b482178aa2be6028f0c121e79b2b12c52e39d2f06beb25f87996fa7a22b7b', NULL, '''ada'':1,2 ''babbage'':6 ''charles'':5 ''in'':7 ''london'':8 ''lovelace'':3 ''met'':4', '\xed268d03202a950b08395edc94cc5b0d0000000000000000', 1, 1),
	(4, '\xa327ec4a268361d76b0414e7b5f49b41', 4, 0, 23, 0, 5, 0, NULL, 'no reply', NULL, NULL, NULL, 1);
INSERT INTO polyadic.decision VALUES
	(1, '\x4bf35315513c5a8d6b0ce67995444604', '2026-11-22T23:03:17.834Z', '["merge",["Ada Lovelace","Charles Babbage"],"Ada Lovelace",[]]', 1);
INSERT INTO polyadic.document VALUES
	(1, '\xed268d03202a950b08395edc94cc5b0d', '/docs/ada.txt', 1, 1),
	(2, '\xf148925b1c3e14eec5e4ca9b3d6585e4', '/docs/mercury.txt', 2, 1),
	(4, '\x235d96755aa4549f3a09fa496bd73eee', 'memory:unread', NULL, 1);
INSERT INTO polyadic.entity VALUES
	(3, '\x80dfdd47d5573924a398a7bc718080f8', 'mercury (planet)', 'Mercury (planet)', 'thing', '', 1, 6000, 1, 1, 1),
	(4, '\x767ba8f3153a9f2d4212ea6b28a16771', 'sun', 'the Sun', 'thing', '', 1, 6000, 1, 1, 1),
	(1, '\x2cc266b6b25bdea2d163366ea3cf3acd', 'ada lovelace', 'Ada Lovelace', 'thing', '', 2, 12000, 1, 1, 1);
INSERT INTO polyadic.fact VALUES
	(2, '\x1662e1983eefc82bd50da3db0acad1d7', 'Mercury passed before the Sun.', 5, 2, 1, 800, 4, 1),
	(1, '\xaf3af22e7728a41b4a62fa67170d0dad', 'Ada Lovelace met Charles Babbage in London.', 7, 2, 1, 800, 1, 1);
INSERT INTO polyadic.row_count VALUES
	('chunk', 2, 1),
	('fact', 2, 1),
	('entity', 3, 1);
INSERT INTO polyadic.meta VALUES
	('embedder', 'test vectors', 1),
	('generation', '3de61f79ff859d9f', 1),
	('hierarchy', 'b61dac07834eeb37', 1),
	('hierarchy_series', '[[0.5], 4, 0]', 1),
	('gathered', 'another model', 1);
INSERT INTO polyadic.search_vector_16 VALUES
	('fact', 1, 1, 16, '[-0.057434082,-0.16174316,0.1508789,-0.43774414,0.36889648,-0.28442383,0.20617676,0.11798096,-0.29589844,-0.1237793,0.4243164,0.1661377,-0.06213379,-0.37329102,0.14379883,0.09112549]', 1),
	('entity', 1, 2, 16, '[-0.48754883,0.25317383,-0.11175537,-0.41186523,-0.24523926,-0.016799927,0.0770874,-0.27294922,-0.19909668,0.1262207,0.43969727,0.015007019,-0.3154297,0.15039062,0.047210693,-0.040222168]', 1),
	('chunk', 1, 1, 16, '[-0.057434082,-0.16174316,0.1508789,-0.43774414,0.36889648,-0.28442383,0.20617676,0.11798096,-0.29589844,-0.1237793,0.4243164,0.1661377,-0.06213379,-0.37329102,0.14379883,0.09112549]', 1),
	('fact', 2, 4, 16, '[-0.2919922,-0.42163086,0.11407471,0.1932373,-0.12060547,-0.08520508,0.33251953,-0.20471191,-0.34692383,-0.14501953,0.38598633,0.1361084,-0.15368652,-0.22094727,0.016998291,-0.36157227]', 1),
	('entity', 3, 5, 16, '[0.16381836,-0.031433105,0.20288086,0.36157227,0.22180176,0.049682617,-0.20690918,0.03439331,0.53125,0.1607666,-0.051483154,-0.13928223,0.25073242,0.54345703,0.05380249,-0.117370605]', 1),
	('entity', 4, 6, 16, '[-0.25756836,0.3154297,-0.5566406,-0.11212158,0.15515137,-0.21130371,-0.29907227,0.07684326,0.052124023,0.07952881,-0.17272949,0.3618164,-0.062805176,0.2631836,-0.042266846,-0.32080078]', 1),
	('chunk', 2, 4, 16, '[-0.2919922,-0.42163086,0.11407471,0.1932373,-0.12060547,-0.08520508,0.33251953,-0.20471191,-0.34692383,-0.14501953,0.38598633,0.1361084,-0.15368652,-0.22094727,0.016998291,-0.36157227]', 1),
	('entity', 1, 3, 16, '[-0.061584473,-0.101501465,-0.29614258,0.12670898,-0.44628906,-0.3725586,0.30493164,0.22802734,0.18188477,0.10394287,0.08441162,0.16223145,-0.08758545,0.14160156,-0.46166992,0.28442383]', 1);
INSERT INTO polyadic.new_vector VALUES
	('\x1c7d92032ba6d7b6c7a8fb6b9af2e9d3', '[-0.03955078,0.29516602,-0.30249023,-0.44799805,-0.36206055,-0.3046875,-0.14978027,-0.02748108,-0.01689148,-0.25610352,0.10168457,-0.14379883,-0.051879883,0.45654297,0.0046539307,0.2529297]', 1);
INSERT INTO polyadic.participation VALUES
	(1, 1, 1, 1),
	(2, 3, 1, 1),
	(2, 4, 1, 1);
INSERT INTO polyadic.passage_window VALUES
	(1, 0, 1, 1),
	(2, 0, 4, 1);
INSERT INTO polyadic.text_segment VALUES
	(1048576, 'Ada Lovelace met Charles Babbage in London.', 1),
	(2097152, 'Mercury passed before the Sun.', 1),
	(4194304, 'Nobody could read this.', 1);
INSERT INTO polyadic.reply VALUES
	('\xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '\x785e734c4954c84d2d5170cacf29d103001dbe044c', true, 1);
INSERT INTO polyadic.revision VALUES
	(1, 1, '0eda2ca2de81e578ada768a02bd87965', 'recipe', 'by hand', 'Ada', 'ada', 'ada', 43, '{}', '[]', 1),
	(2, 2, 'bede6faaa8c2b777088c786e1cae46cf', 'recipe', 'by hand', 'Mercury (planet)', 'mercury (planet)', 'mercury', 30, '{}', '[]', 1),
	(4, 4, 'bec5bba8c8a9d115d0956fc9ca4e6986', 'r', 'by hand', '', '', '', 23, '{}', '[]', 1);
INSERT INTO polyadic.attribute_value VALUES
	(1, 'name', 'Ada Lovelace', 1, NULL, 1),
	(1, 'form', 'Ada Lovelace', 1, 2, 1),
	(3, 'name', 'Mercury (planet)', 1, NULL, 1),
	(3, 'type', 'thing', 1, NULL, 1),
	(4, 'name', 'the Sun', 1, NULL, 1),
	(4, 'type', 'thing', 1, NULL, 1),
	(3, 'form', 'Mercury (planet)', 1, 5, 1),
	(4, 'form', 'the Sun', 1, 6, 1),
	(1, 'name', 'Charles Babbage', 1, NULL, 1),
	(1, 'form', 'Charles Babbage', 1, 3, 1),
	(1, 'type', 'thing', 2, NULL, 1);
INSERT INTO polyadic.staged_revision VALUES
	(4, 1);
INSERT INTO polyadic.change_log VALUES
	(1, '04f44fe0cb5b89a8', 5, '\x01000000000000000200000000000000', '\x0100000000000000', '\x0100000000000000', 1),
	(2, '4ffe12f711df1354', 10, '\x03000000000000000400000000000000', '\x0200000000000000', '\x0200000000000000', 1),
	(3, 'df28532f078a2ad6', 15, '\x02000000000000000500000000000000', '\x0300000000000000', '\x0300000000000000', 1),
	(4, '4902a48d58288b76', 23, '\x010000000000000002000000000000000500000000000000', '\x01000000000000000300000000000000', '\x01000000000000000300000000000000', 1),
	(5, '3de61f79ff859d9f', 28, '\x01000000000000000500000000000000', '\x0300000000000000', '\x0300000000000000', 1);
INSERT INTO polyadic.statement VALUES
	(1, 1, 0, 43, 1),
	(2, 2, 0, 30, 1);
INSERT INTO polyadic.summary VALUES
	(1, '\x51906fc67eca439cfe855ed952a3b9d8', 1, 'Computing', 'field', 'Who computes.', 'a model', '\x767ba8f3153a9f2d4212ea6b28a1677180dfdd47d5573924a398a7bc718080f8', 9, 1);
INSERT INTO polyadic.hierarchy_node VALUES
	(1, '\xc4a12570b4d69b718d823b3afbe94919', 'cluster', 0, false, 0, '', NULL, '\x', '\x767ba8f3153a9f2d4212ea6b28a16771', '\x767ba8f3153a9f2d4212ea6b28a1677180dfdd47d5573924a398a7bc718080f8', '\x1662e1983eefc82bd50da3db0acad1d7767ba8f3153a9f2d4212ea6b28a1677180dfdd47d5573924a398a7bc718080f8', 1),
	(2, '\xa2e775e4fcf5be922fbd3e745ef22db1', 'community', 0, false, 12, 'of this', '["Machines","They count.",7.5,[["They count fast.",["1662e1983eefc82bd50da3db0acad1d7"]]],"a model"]', '\x', '\x', '\x51906fc67eca439cfe855ed952a3b9d8767ba8f3153a9f2d4212ea6b28a1677180dfdd47d5573924a398a7bc718080f8', '\x1662e1983eefc82bd50da3db0acad1d751906fc67eca439cfe855ed952a3b9d8', 1);
INSERT INTO polyadic.hierarchy_source VALUES
	('\x1662e1983eefc82bd50da3db0acad1d7', 1, '\x', 1),
	('\x767ba8f3153a9f2d4212ea6b28a16771', 1, '\x336a72b99a69a4f379c577f5fad20bdde1491bdf7435e89d', 1),
	('\x80dfdd47d5573924a398a7bc718080f8', 1, '\x3055c0050beaf86e336a72b99a69a4f3e1491bdf7435e89d', 1),
	('\x1662e1983eefc82bd50da3db0acad1d7', 2, '\x', 1),
	('\x51906fc67eca439cfe855ed952a3b9d8', 2, '\x797f697ec59babc2be65ad0158c2819ec946128676f08718', 1),
	('\x767ba8f3153a9f2d4212ea6b28a16771', 2, '\x', 1),
	('\x80dfdd47d5573924a398a7bc718080f8', 2, '\x', 1);
INSERT INTO polyadic.vector VALUES
	(1, '\x75dec4c56a882585e8781b1635d20cb0', 2, '[-0.057434082,-0.16174316,0.1508789,-0.43774414,0.36889648,-0.28442383,0.20617676,0.11798096,-0.29589844,-0.1237793,0.4243164,0.1661377,-0.06213379,-0.37329102,0.14379883,0.09112549]', 1),
	(2, '\xca853163903a23283372bbf38363698e', 1, '[-0.48754883,0.25317383,-0.11175537,-0.41186523,-0.24523926,-0.016799927,0.0770874,-0.27294922,-0.19909668,0.1262207,0.43969727,0.015007019,-0.3154297,0.15039062,0.047210693,-0.040222168]', 1),
	(4, '\xe8673ef8ea6f5b926dcfded0ccd1528b', 2, '[-0.2919922,-0.42163086,0.11407471,0.1932373,-0.12060547,-0.08520508,0.33251953,-0.20471191,-0.34692383,-0.14501953,0.38598633,0.1361084,-0.15368652,-0.22094727,0.016998291,-0.36157227]', 1),
	(5, '\x8d71796bf46901536caf85d9740b6421', 1, '[0.16381836,-0.031433105,0.20288086,0.36157227,0.22180176,0.049682617,-0.20690918,0.03439331,0.53125,0.1607666,-0.051483154,-0.13928223,0.25073242,0.54345703,0.05380249,-0.117370605]', 1),
	(6, '\x5a9f7649548672e984366d38a609e007', 1, '[-0.25756836,0.3154297,-0.5566406,-0.11212158,0.15515137,-0.21130371,-0.29907227,0.07684326,0.052124023,0.07952881,-0.17272949,0.3618164,-0.062805176,0.2631836,-0.042266846,-0.32080078]', 1),
	(3, '\xc52a24f9e8fc9f5c6f48c5e92fa01f31', 1, '[-0.061584473,-0.101501465,-0.29614258,0.12670898,-0.44628906,-0.3725586,0.30493164,0.22802734,0.18188477,0.10394287,0.08441162,0.16223145,-0.08758545,0.14160156,-0.46166992,0.28442383]', 1),
	(9, '\x1eda30e10d696ebdb2807f991feae98a', 1, '[0.026931763,-0.08526611,-0.056640625,0.27392578,-0.040161133,-0.076293945,0.19543457,-0.13549805,0.26049805,-0.18701172,-0.11090088,0.06225586,-0.20007324,0.6879883,-0.41015625,0.22155762]', 1);
INSERT INTO polyadic.version VALUES
	(1);
INSERT INTO polyadic.workspace OVERRIDING SYSTEM VALUE VALUES
	(1, 'old');
SELECT pg_catalog.setval('polyadic.model_call_id_seq', 1, true);
SELECT pg_catalog.setval('polyadic.chunk_id_seq', 4, true);
SELECT pg_catalog.setval('polyadic.decision_id_seq', 1, true);
SELECT pg_catalog.setval('polyadic.document_id_seq', 4, true);
SELECT pg_catalog.setval('polyadic.revision_id_seq', 4, true);
SELECT pg_catalog.setval('polyadic.change_log_seq_seq', 5, true);
SELECT pg_catalog.setval('polyadic.summary_id_seq', 1, true);
SELECT pg_catalog.setval('polyadic.hierarchy_node_id_seq', 2, true);
SELECT pg_catalog.setval('polyadic.vector_id_seq', 9, true);
SELECT pg_catalog.setval('polyadic.workspace_id_seq', 1, true);
ALTER TABLE ONLY polyadic.pending_question
    ADD CONSTRAINT pending_question_pkey PRIMARY KEY (workspace, digest);
ALTER TABLE ONLY polyadic.pending_request
    ADD CONSTRAINT pending_request_pkey PRIMARY KEY (workspace, digest, requester);
ALTER TABLE ONLY polyadic.model_call
    ADD CONSTRAINT model_call_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.entity_alias
    ADD CONSTRAINT entity_alias_pkey PRIMARY KEY (workspace, alias, entity);
ALTER TABLE ONLY polyadic.chunk
    ADD CONSTRAINT chunk_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.topic_candidate
    ADD CONSTRAINT topic_candidate_pkey PRIMARY KEY (workspace, entity, chunk);
ALTER TABLE ONLY polyadic.decision
    ADD CONSTRAINT decision_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.decision
    ADD CONSTRAINT decision_workspace_digest_key UNIQUE (workspace, digest);
ALTER TABLE ONLY polyadic.document
    ADD CONSTRAINT document_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.document
    ADD CONSTRAINT document_workspace_digest_key UNIQUE (workspace, digest);
ALTER TABLE ONLY polyadic.recorded_response
    ADD CONSTRAINT recorded_response_pkey PRIMARY KEY (workspace, digest);
ALTER TABLE ONLY polyadic.entity
    ADD CONSTRAINT entity_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.entity
    ADD CONSTRAINT entity_workspace_digest_key UNIQUE (workspace, digest);
ALTER TABLE ONLY polyadic.fact
    ADD CONSTRAINT fact_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.fact
    ADD CONSTRAINT fact_workspace_digest_key UNIQUE (workspace, digest);
ALTER TABLE ONLY polyadic.row_count
    ADD CONSTRAINT row_count_pkey PRIMARY KEY (workspace, side);
ALTER TABLE ONLY polyadic.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (workspace, key);
ALTER TABLE ONLY polyadic.search_vector
    ADD CONSTRAINT search_vector_pkey PRIMARY KEY (workspace, side, "row", vector, dimension);
ALTER TABLE ONLY polyadic.search_vector_16
    ADD CONSTRAINT search_vector_16_pkey PRIMARY KEY (workspace, side, "row", vector, dimension);
ALTER TABLE ONLY polyadic.new_vector
    ADD CONSTRAINT new_vector_pkey PRIMARY KEY (workspace, digest);
ALTER TABLE ONLY polyadic.participation
    ADD CONSTRAINT participation_pkey PRIMARY KEY (workspace, fact, entity);
ALTER TABLE ONLY polyadic.passage_window
    ADD CONSTRAINT passage_window_pkey PRIMARY KEY (workspace, chunk, ordinal);
ALTER TABLE ONLY polyadic.text_segment
    ADD CONSTRAINT text_segment_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.reply
    ADD CONSTRAINT reply_pkey PRIMARY KEY (workspace, digest);
ALTER TABLE ONLY polyadic.revision
    ADD CONSTRAINT revision_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.attribute_value
    ADD CONSTRAINT attribute_value_pkey PRIMARY KEY (workspace, entity, attribute, value);
ALTER TABLE ONLY polyadic.staged_revision
    ADD CONSTRAINT staged_revision_pkey PRIMARY KEY (workspace, revision);
ALTER TABLE ONLY polyadic.change_log
    ADD CONSTRAINT change_log_pkey PRIMARY KEY (workspace, seq);
ALTER TABLE ONLY polyadic.change_log
    ADD CONSTRAINT change_log_workspace_name_key UNIQUE (workspace, name);
ALTER TABLE ONLY polyadic.statement
    ADD CONSTRAINT statement_pkey PRIMARY KEY (workspace, chunk, fact, start, stop);
ALTER TABLE ONLY polyadic.summary
    ADD CONSTRAINT summary_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.summary
    ADD CONSTRAINT summary_workspace_digest_key UNIQUE (workspace, digest);
ALTER TABLE ONLY polyadic.hierarchy_node
    ADD CONSTRAINT hierarchy_node_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.hierarchy_source
    ADD CONSTRAINT hierarchy_source_pkey PRIMARY KEY (workspace, source, node);
ALTER TABLE ONLY polyadic.hierarchy_node
    ADD CONSTRAINT hierarchy_node_workspace_digest_key UNIQUE (workspace, digest);
ALTER TABLE ONLY polyadic.vector
    ADD CONSTRAINT vector_pkey PRIMARY KEY (workspace, id);
ALTER TABLE ONLY polyadic.vector
    ADD CONSTRAINT vector_workspace_digest_key UNIQUE (workspace, digest);
ALTER TABLE ONLY polyadic.workspace
    ADD CONSTRAINT workspace_name_key UNIQUE (name);
ALTER TABLE ONLY polyadic.workspace
    ADD CONSTRAINT workspace_pkey PRIMARY KEY (id);
CREATE INDEX pending_request_workspace_requester_idx ON polyadic.pending_request USING btree (workspace, requester);
CREATE INDEX model_call_workspace_document_idx ON polyadic.model_call USING btree (workspace, document) WHERE (document IS NOT NULL);
CREATE INDEX entity_alias_workspace_entity_idx ON polyadic.entity_alias USING btree (workspace, entity);
CREATE INDEX chunk_words_idx ON polyadic.chunk USING gin (words);
CREATE INDEX chunk_workspace_topic_entity_sort_key_idx ON polyadic.chunk USING btree (workspace, topic_entity, sort_key) WHERE (topic_entity IS NOT NULL);
CREATE INDEX chunk_workspace_digest_idx ON polyadic.chunk USING btree (workspace, digest);
CREATE INDEX chunk_workspace_revision_idx ON polyadic.chunk USING btree (workspace, revision);
CREATE INDEX topic_candidate_workspace_chunk_idx ON polyadic.topic_candidate USING btree (workspace, chunk);
CREATE INDEX document_workspace_id_idx ON polyadic.document USING btree (workspace, id) WHERE (current IS NULL);
CREATE INDEX document_workspace_source_idx ON polyadic.document USING btree (workspace, source) WHERE (current IS NOT NULL);
CREATE INDEX entity_workspace_key_idx ON polyadic.entity USING btree (workspace, key);
CREATE INDEX search_vector_16_data_idx ON polyadic.search_vector_16 USING hnsw (((data)::public.halfvec(16)) public.halfvec_ip_ops) WHERE (side = 'entity'::text);
CREATE INDEX search_vector_16_data_idx1 ON polyadic.search_vector_16 USING hnsw (((data)::public.halfvec(16)) public.halfvec_ip_ops) WHERE (side = 'fact'::text);
CREATE INDEX search_vector_16_data_idx2 ON polyadic.search_vector_16 USING hnsw (((data)::public.halfvec(16)) public.halfvec_ip_ops) WHERE (side = 'chunk'::text);
CREATE INDEX participation_workspace_entity_fact_idx ON polyadic.participation USING btree (workspace, entity, fact);
CREATE INDEX revision_workspace_document_idx ON polyadic.revision USING btree (workspace, document);
CREATE INDEX revision_workspace_left_idx ON polyadic.revision USING btree (workspace, "left"(title_key, 200));
CREATE INDEX revision_workspace_left_idx1 ON polyadic.revision USING btree (workspace, "left"(title_bare, 200));
CREATE INDEX attribute_value_workspace_entity_value_idx ON polyadic.attribute_value USING btree (workspace, entity, value) WHERE (vector IS NOT NULL);
CREATE INDEX statement_workspace_fact_chunk_idx ON polyadic.statement USING btree (workspace, fact, chunk);
CREATE INDEX summary_workspace_node_idx ON polyadic.summary USING btree (workspace, node);
CREATE INDEX vector_workspace_id_idx ON polyadic.vector USING btree (workspace, id) WHERE (uses = 0);
ALTER INDEX polyadic.search_vector_pkey ATTACH PARTITION polyadic.search_vector_16_pkey;
CREATE TRIGGER add_rows AFTER INSERT OR DELETE ON polyadic.entity FOR EACH ROW EXECUTE FUNCTION polyadic.entity_count_changed();
CREATE TRIGGER replace_vector AFTER INSERT OR DELETE OR UPDATE OF vector ON polyadic.fact FOR EACH ROW EXECUTE FUNCTION polyadic.fact_vector_changed();
CREATE TRIGGER replace_vector AFTER INSERT OR DELETE ON polyadic.passage_window FOR EACH ROW EXECUTE FUNCTION polyadic.window_changed();
CREATE TRIGGER replace_vector AFTER DELETE OR UPDATE OF vector ON polyadic.attribute_value FOR EACH ROW EXECUTE FUNCTION polyadic.form_vector_changed();
ALTER TABLE polyadic.pending_question ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.pending_request ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.model_call ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.entity_alias ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.topic_candidate ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.decision ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.document ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.recorded_response ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.entity ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.fact ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.row_count ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.meta ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_workspace ON polyadic.pending_question USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.pending_request USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.model_call USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.entity_alias USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.chunk USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.topic_candidate USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.decision USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.document USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.recorded_response USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.entity USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.fact USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.row_count USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.meta USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.search_vector USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.search_vector_16 USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.new_vector USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.participation USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.passage_window USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.text_segment USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.reply USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.revision USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.attribute_value USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.staged_revision USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.change_log USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.statement USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.summary USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.hierarchy_node USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.hierarchy_source USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
CREATE POLICY own_workspace ON polyadic.vector USING ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting))) WITH CHECK ((workspace = ( SELECT (current_setting('polyadic.workspace'::text))::bigint AS current_setting)));
ALTER TABLE polyadic.search_vector ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.search_vector_16 ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.new_vector ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.participation ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.passage_window ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.text_segment ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.reply ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.revision ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.attribute_value ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.staged_revision ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.change_log ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.statement ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.summary ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.hierarchy_node ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.hierarchy_source ENABLE ROW LEVEL SECURITY;
ALTER TABLE polyadic.vector ENABLE ROW LEVEL SECURITY;
GRANT USAGE ON SCHEMA polyadic TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.pending_question TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.pending_request TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.model_call TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.entity_alias TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.chunk TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.topic_candidate TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.decision TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.document TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.recorded_response TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.entity TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.fact TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.row_count TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.meta TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.search_vector TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.search_vector_16 TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.new_vector TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.participation TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.passage_window TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.text_segment TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.reply TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.revision TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.attribute_value TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.staged_revision TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.change_log TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.statement TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.summary TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.hierarchy_node TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.hierarchy_source TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE polyadic.vector TO polyadic_workspaces;
GRANT SELECT,INSERT,DELETE ON TABLE polyadic.workspace TO polyadic_workspaces;
