"""Limits on requests and results; lengths are in characters."""

# about 5,000 tokens, as for every question
QUESTION = 20_000
NAME = 500
NAMES = 50
PAIRS = 20
VALUE = 2_000

CONTEXT_TOKENS = 32_000
ITEMS = 50
DOCUMENTS = 200
FACTS = 100
SPAN = 20_000
SPAN_UNASKED = 4_000
RESOURCE = 50_000
RESOURCES = 100
TEXT = 500_000

# results
PLACES = 3
CITATIONS = 100
QUOTE = 600
ITEM_TEXT = 2_000
ANSWER = 50_000

# a text of maximum length as JSON, with most of its characters escaped
BODY_BYTES = 4 * 1024 * 1024


def cut(text: str, most: int) -> str:
    """Return the text, cut to ``most`` characters with an ellipsis at the end if it is longer.

    >>> cut("knowledge", 5), cut("facts", 5)
    ('know…', 'facts')
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"
