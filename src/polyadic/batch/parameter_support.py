"""What an endpoint refused in earlier batches is not sent again: its error lines are all that it says."""

import json
from collections.abc import Collection
from dataclasses import asdict, replace

from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.provider_quirks import ProviderQuirks
from polyadic.storage.protocol import Store


def speak(model: EndpointModel, store: Store) -> None:
    """Have a model ask in the dialect that was learned from earlier batches."""
    with store.write() as writer:
        learned = writer.waiting.dialect(model.name)
    if learned:
        known = json.loads(learned)["dialect"]
        model.dialect = model.dialect.joined(replace(ProviderQuirks(), **known))


def learn(model: EndpointModel, store: Store, refusals: Collection[str]) -> bool:
    """Learn from what an endpoint said where it refused a request; whether the next batch asks in another way.

    Every line of a batch is refused with the same words, and a file may be read twice: what was learned from once is
    not learned from again.
    """
    if not refusals:
        return False
    # Imported late: it needs the client, which takes half a second to load.
    from polyadic.llm.endpoint_errors import says_too_long

    with store.write() as writer:
        before = json.loads(writer.waiting.dialect(model.name) or '{"heard": []}')["heard"]
    adapted, heard = model.dialect, []
    for refusal in sorted(set(refusals) - set(before)):
        other = None if says_too_long(refusal) else model.dialect.without(refusal)
        if other:
            adapted = adapted.joined(other)
            heard.append(refusal)
    if heard:
        with store.write() as writer:
            content = json.dumps({"dialect": asdict(adapted), "heard": [*before, *heard]}, ensure_ascii=False)
            writer.waiting.keep_dialect(model.name, content)
    return bool(heard)
