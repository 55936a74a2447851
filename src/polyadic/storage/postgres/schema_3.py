"""What the third version of the tables in PostgreSQL has beside the second (schema_2.py); never edited once out."""

THIRD = """
-- Keys that are drawn from now on are none up to this one; with room for those that others draw meanwhile.
CREATE FUNCTION advance(part text, taken bigint) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = polyadic, public, pg_temp AS $$
DECLARE
    sequence text := pg_get_serial_sequence(quote_ident(part), 'id');
BEGIN
    IF taken > 1::bigint << 40 THEN
        RAISE EXCEPTION 'a key of % is %, which is none of ours', part, taken;
    END IF;
    IF nextval(sequence) <= taken THEN
        PERFORM setval(sequence, taken + 100000);
    END IF;
END $$;
"""
