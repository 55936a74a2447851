"""Parse the replies of language models; dropped or repaired parts are counted."""
