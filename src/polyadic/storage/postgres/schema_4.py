"""What the fourth version of the tables in PostgreSQL has beside the third (schema_3.py); never edited once released.

Row-level security keeps an index of words from being used: whether a passage holds a word may be asked only of those
that a workspace may see, so each of these would be looked at. Therefore words stand in a table of their own, which is
reached by functions alone, and each has the key of its workspace before it: what is sought is found among the words of
this workspace, in time that does not grow with those of others.
"""

FOURTH = r"""
CREATE TABLE spoken (                           -- the words of passages that can be found
    of_workspace bigint,
    chunk bigint,
    words tsvector NOT NULL,
    PRIMARY KEY (of_workspace, chunk),
    FOREIGN KEY (of_workspace, chunk) REFERENCES chunk (workspace, id) ON DELETE CASCADE
);
CREATE INDEX ON spoken USING gin (words);

-- Words as those of a workspace. One that is too long to be found is not kept.
CREATE FUNCTION own(words tsvector, workspace bigint) RETURNS tsvector LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(string_agg(
        '''' || replace(replace(workspace || ' ' || lexeme, '\', '\\'), '''', '''''') || ''':'
        || array_to_string(positions, ','), ' '
    ), '')::tsvector
    FROM unnest(words) WHERE octet_length(lexeme) <= 2000
$$;
CREATE FUNCTION sought(words text, workspace bigint) RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
    SELECT regexp_replace(
        to_tsquery('simple', words)::text, '''((?:[^'']|'''')*)''', '''' || workspace || ' \1''', 'g'
    )::tsquery
$$;

CREATE FUNCTION speak(of_chunk bigint, title text, said text) RETURNS void LANGUAGE sql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
    INSERT INTO spoken (of_workspace, chunk, words) SELECT w, of_chunk,
        own(to_tsvector('simple', title) || to_tsvector('simple', said), w)
    FROM (SELECT current_setting('polyadic.workspace')::bigint) of_workspace (w)
    ON CONFLICT (of_workspace, chunk) DO UPDATE SET words = excluded.words
$$;
-- How well each passage that holds any of the words fits them; and so many that hold one, whichever.
CREATE FUNCTION matching(any_of text) RETURNS TABLE (chunk bigint, rank real) LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp SET enable_seqscan = off AS $$
    SELECT s.chunk, ts_rank_cd(s.words, q)
    FROM spoken s, sought(any_of, current_setting('polyadic.workspace')::bigint) q WHERE s.words @@ q
$$;
CREATE FUNCTION holding(any_of text, most bigint) RETURNS SETOF bigint LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp SET enable_seqscan = off AS $$
    SELECT s.chunk
    FROM spoken s, sought(any_of, current_setting('polyadic.workspace')::bigint) q WHERE s.words @@ q LIMIT most
$$;

ALTER TABLE chunk NO FORCE ROW LEVEL SECURITY;
INSERT INTO spoken (of_workspace, chunk, words)
    SELECT workspace, id, own(words, workspace) FROM chunk WHERE words IS NOT NULL;
ALTER TABLE chunk FORCE ROW LEVEL SECURITY;
ALTER TABLE chunk DROP COLUMN words;
"""
