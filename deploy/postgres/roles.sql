-- The role that superusers switch to, and its rights. A dump holds the rights but not the role, so a database that was
-- restored without it lacks both. Run this in the restored database, as a superuser or as the owner of the tables:
--
--   psql -d kb -f roles.sql
--
-- What exists is left as it is.
DO $$
DECLARE
    part regclass;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'polyadic_workspaces') THEN
        CREATE ROLE polyadic_workspaces NOLOGIN;
    END IF;
    GRANT USAGE ON SCHEMA polyadic TO polyadic_workspaces;
    GRANT SELECT, INSERT, DELETE ON polyadic.workspace TO polyadic_workspaces;
    -- Tables whose rows belong to workspaces have row-level security; no others may be read.
    FOR part IN
        SELECT oid FROM pg_class
        WHERE relnamespace = 'polyadic'::regnamespace AND relkind IN ('r', 'p') AND relrowsecurity
    LOOP
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO polyadic_workspaces', part);
    END LOOP;
END $$;
