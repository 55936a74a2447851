"""Questions on ordinary documents: manuals, tables, dictionaries, release notes, poems, in six languages."""
