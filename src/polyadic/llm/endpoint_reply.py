"""Accumulate an endpoint's reply; fields are validated here, because endpoints differ and the client does not check."""

from dataclasses import dataclass, field

from polyadic.text.encodable import encodable

READ = ("choices", "usage", "error", "model")
"""Fields of a response that are read."""

_MOST_TOKENS = 1_000_000_000


@dataclass(slots=True)
class EndpointReply:
    """A reply received so far, complete or from the events of a stream.

    ``envelope`` says whether anything with the form of a reply was received. ``sent`` and ``received`` are the token
    counts reported by the endpoint, 0 if none. ``model`` is the reported model name.
    """

    pieces: list[str] = field(default_factory=list)
    refusal: str = ""
    finish: str = ""
    error: str = ""
    envelope: bool = False
    sent: int = 0
    received: int = 0
    model: str = ""

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    def add(self, event: object) -> str:
        """Add a complete reply or one event of a stream; return its text.

        >>> EndpointReply().add("<html>")
        ''
        """
        self.model = model_of(event) or self.model
        self.sent = reported(event, "prompt_tokens") or self.sent
        self.received = reported(event, "completion_tokens") or self.received
        if error := getattr(event, "error", None):
            self.error = str(error.get("message") if isinstance(error, dict) else error)
        choices = getattr(event, "choices", None)
        if not isinstance(choices, list):
            return ""
        self.envelope = True
        return self._add_choice(choices[0]) if choices else ""

    def _add_choice(self, choice: object) -> str:
        message = getattr(choice, "message", None) or getattr(choice, "delta", None)
        self.finish = str(getattr(choice, "finish_reason", None) or self.finish)
        self.refusal += _text(getattr(message, "refusal", None))
        piece = _text(getattr(message, "content", None))
        if piece:
            self.pieces.append(piece)
        return piece


def reported(reply: object, name: str) -> int:
    """Return a reported token count; 0 if it is missing or implausible."""
    value = getattr(getattr(reply, "usage", None), name, None)
    return value if type(value) is int and 0 < value <= _MOST_TOKENS else 0


def model_of(reply: object) -> str:
    """Return the reported model name; empty if there is none."""
    name = getattr(reply, "model", None)
    return name if isinstance(name, str) else ""


def _text(content: object) -> str:
    """Return the text of a message, which may be a list of parts, thoughts among them; lone surrogates become ``?``.

    >>> _text([{"type": "thinking", "thinking": []}, {"type": "text", "text": "Yes."}])
    'Yes.'
    """
    if isinstance(content, list):
        content = "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return encodable(content) if isinstance(content, str) else ""
