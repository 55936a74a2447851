"""Migration from version 2 (schema_2.py) to 3; never changed after its release."""

THIRD = """
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
"""
