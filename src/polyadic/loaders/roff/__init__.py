"""Read manual pages in roff source, with the macros of man(7) and mdoc(7)."""
