-- The full-text index.
--
-- Under row-level security a full-text index is not used: the match operator runs only on rows that passed the policy,
-- so every passage of the workspace would be scanned. Words therefore have a table of their own that only functions
-- access, and each lexeme is prefixed with the key of its workspace: a search reads index entries of its own workspace
-- only, in time independent of the others' size.

CREATE TABLE passage_fts (                      -- words of the searchable passages
    workspace_id bigint,
    chunk bigint,
    words tsvector NOT NULL,
    length bigint NOT NULL,
    PRIMARY KEY (workspace_id, chunk),
    FOREIGN KEY (workspace_id, chunk) REFERENCES chunk (workspace, id) ON DELETE CASCADE
);
-- Every search scans the index's pending list of recent entries: keep it short (in kB).
CREATE INDEX ON passage_fts USING gin (words) WITH (gin_pending_list_limit = 256);

-- Prefix lexemes with the key of a workspace. Lexemes too long to be indexed are dropped.
CREATE FUNCTION prefixed_words(words tsvector, workspace bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(string_agg(
        '''' || replace(replace(workspace || ' ' || lexeme, '\', '\\'), '''', '''''') || ''':'
        || array_to_string(positions, ','), ' '
    ), '')::tsvector
    FROM unnest(words) WHERE octet_length(lexeme) <= 2000
$$;
CREATE FUNCTION prefixed_query(words text, workspace bigint) RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(
        to_tsquery('simple', words)::text, '''((?:[^'']|'''')*)''', '''' || workspace || ' \1''', 'g'
    )::tsquery
$$;
CREATE FUNCTION length_of(words tsvector) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(sum(cardinality(positions)), 0)::bigint FROM unnest(words)
$$;

CREATE FUNCTION index_passage(of_chunk bigint, title text, body text)
    RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path = polyadic, public, pg_temp AS $$
    INSERT INTO passage_fts (workspace_id, chunk, words, length) SELECT w, of_chunk, prefixed_words(t, w), length_of(t)
    FROM (SELECT current_setting('polyadic.workspace')::bigint, to_tsvector('simple', title)
        || to_tsvector('simple', body)) v (w, t)
    ON CONFLICT (workspace_id, chunk) DO UPDATE SET words = excluded.words, length = excluded.length
$$;
-- Up to "most" passages that match a query, unranked.
CREATE FUNCTION passages_with(any_of text, most bigint) RETURNS SETOF bigint LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp SET enable_seqscan = off AS $$
    SELECT s.chunk
    FROM passage_fts s, prefixed_query(any_of, current_setting('polyadic.workspace')::bigint) q
    WHERE s.words @@ q LIMIT most
$$;
CREATE FUNCTION passage_length_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO row_count (node_type, rows, words) VALUES ('chunk', 0,
        CASE WHEN TG_OP = 'DELETE' THEN 0 ELSE NEW.length END
        - CASE WHEN TG_OP = 'INSERT' THEN 0 ELSE OLD.length END)
        ON CONFLICT (workspace, node_type) DO UPDATE SET words = row_count.words + excluded.words;
    RETURN NULL;
END $$;
CREATE TRIGGER add_rows AFTER INSERT OR DELETE OR UPDATE OF length ON passage_fts
    FOR EACH ROW EXECUTE FUNCTION passage_length_changed();

-- BM25 (Robertson and Zaragoza, 2009; k1 = 1.2, b = 0.75, as in FTS5) of the passages that contain any of the terms.
-- A term is a query with its words: one word, possibly a prefix, or two adjacent words. Term frequencies are counted
-- for the "most" passages with the greatest sum of term weights only; among equals, the shortest.
CREATE FUNCTION rank_passages(queries text[], firsts text[], seconds text[], are_prefixes boolean[], most bigint)
    RETURNS TABLE (chunk bigint, rank double precision) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp SET enable_seqscan = off AS $$
    WITH mine AS (
        -- The owner of the functions sees the rows of all workspaces, so filter by workspace here.
        SELECT w, coalesce(rows, 0)::double precision AS passages, greatest(words, 1)::double precision AS words
        FROM (SELECT current_setting('polyadic.workspace')::bigint) v (w) LEFT JOIN row_count
            ON workspace = w AND node_type = 'chunk'
    ),
    term AS MATERIALIZED (
        SELECT place, prefixed_query(query, w) AS query, w || ' ' || first AS first, w || ' ' || second AS second,
            is_prefix
        FROM mine, unnest(queries, firsts, seconds, are_prefixes) WITH ORDINALITY
            u (query, first, second, is_prefix, place)
    ),
    hit AS MATERIALIZED (
        SELECT t.place, s.chunk, s.length
        FROM term t, LATERAL (SELECT chunk, length FROM passage_fts WHERE words @@ t.query) s
    ),
    weight AS MATERIALIZED (
        SELECT place, greatest(ln((greatest(passages - count(*), 0) + 0.5) / (count(*) + 0.5)), 1e-6) AS idf
        FROM hit, mine GROUP BY place, passages
    ),
    likely AS MATERIALIZED (
        SELECT h.chunk FROM hit h JOIN weight USING (place) GROUP BY h.chunk
        ORDER BY sum(idf)::real DESC, min(h.length), h.chunk LIMIT most
    ),
    passage AS MATERIALIZED (
        SELECT s.chunk, s.words, s.length FROM mine, likely l JOIN passage_fts s ON s.chunk = l.chunk
        WHERE s.workspace_id = w
    ),
    occurrence AS MATERIALIZED (
        SELECT p.chunk, u.lexeme, o.position FROM passage p, unnest(p.words) u, unnest(u.positions) o (position)
        WHERE u.lexeme = ANY (ARRAY(SELECT unnest(ARRAY[first, second]) FROM term))
            OR u.lexeme ^@ ANY (ARRAY(SELECT first FROM term WHERE is_prefix))
    ),
    frequency AS (
        SELECT t.place, s.chunk, count(*) AS occurrences
        FROM occurrence s JOIN term t ON s.lexeme = t.first OR t.is_prefix AND s.lexeme ^@ t.first
        LEFT JOIN occurrence n ON n.chunk = s.chunk AND n.position = s.position + 1 AND n.lexeme = t.second
        WHERE t.second IS NULL OR n.chunk IS NOT NULL
        GROUP BY 1, 2
    )
    -- A match that no lexeme count covers (a query of several words) counts as one occurrence.
    SELECT p.chunk,
        sum(idf * occurrences * 2.2 / (occurrences + 1.2 * (0.25 + 0.75 * length * passages / m.words)))
    FROM (SELECT place, h.chunk, coalesce(c.occurrences, 1)::double precision AS occurrences
        FROM hit h JOIN likely USING (chunk) LEFT JOIN frequency c USING (place, chunk)) matched
    JOIN weight USING (place) JOIN passage p USING (chunk), mine m
    GROUP BY p.chunk
$$;
