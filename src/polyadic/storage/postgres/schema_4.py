"""Migration from version 3 (schema_3.py) to 4; never changed after its release.

Under row-level security a full-text index is not used: the match operator runs only on rows that passed the policy, so
every passage of the workspace would be scanned. Words therefore have a table of their own that only functions access,
and each lexeme is prefixed with the key of its workspace: a search reads index entries of its own workspace only, in
time independent of the others' size.
"""

FOURTH = r"""
CREATE TABLE passage_fts (                      -- words of the searchable passages
    workspace_id bigint,
    chunk bigint,
    words tsvector NOT NULL,
    PRIMARY KEY (workspace_id, chunk),
    FOREIGN KEY (workspace_id, chunk) REFERENCES chunk (workspace, id) ON DELETE CASCADE
);
CREATE INDEX ON passage_fts USING gin (words);

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

CREATE FUNCTION index_passage(of_chunk bigint, title text, body text) RETURNS void LANGUAGE sql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
    INSERT INTO passage_fts (workspace_id, chunk, words) SELECT w, of_chunk,
        prefixed_words(to_tsvector('simple', title) || to_tsvector('simple', body), w)
    FROM (SELECT current_setting('polyadic.workspace')::bigint) workspace_id (w)
    ON CONFLICT (workspace_id, chunk) DO UPDATE SET words = excluded.words
$$;
-- rank_passages: passages that contain any of the words, with their ranks. passages_with: up to "most" of them,
-- unranked.
CREATE FUNCTION rank_passages(any_of text) RETURNS TABLE (chunk bigint, rank real) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp SET enable_seqscan = off AS $$
    SELECT s.chunk, ts_rank_cd(s.words, q)
    FROM passage_fts s, prefixed_query(any_of, current_setting('polyadic.workspace')::bigint) q WHERE s.words @@ q
$$;
CREATE FUNCTION passages_with(any_of text, most bigint) RETURNS SETOF bigint LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp SET enable_seqscan = off AS $$
    SELECT s.chunk
    FROM passage_fts s, prefixed_query(any_of, current_setting('polyadic.workspace')::bigint) q
    WHERE s.words @@ q LIMIT most
$$;

ALTER TABLE chunk NO FORCE ROW LEVEL SECURITY;
INSERT INTO passage_fts (workspace_id, chunk, words)
    SELECT workspace, id, prefixed_words(words, workspace) FROM chunk WHERE words IS NOT NULL;
ALTER TABLE chunk FORCE ROW LEVEL SECURITY;
ALTER TABLE chunk DROP COLUMN words;
"""
