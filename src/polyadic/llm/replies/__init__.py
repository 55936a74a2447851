"""From the text that a language model replied to what can be kept of it; whatever cannot is counted."""
