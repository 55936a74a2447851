"""Pure functions of text: sentences, headings, names, terms, language."""
