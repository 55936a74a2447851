"""Learn from error lines of earlier batches which request parameters an endpoint does not support."""

import json
from collections.abc import Collection, Iterable
from dataclasses import asdict, replace

from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.provider_quirks import ProviderQuirks
from polyadic.storage.protocol import Store


def speak(models: Iterable[EndpointModel], store: Store) -> None:
    """Configure models with the parameter support that was learned from earlier batches."""
    for model in models:
        with store.write() as writer:
            learned = writer.waiting.dialect(model.name)
        if learned:
            known = json.loads(learned)["dialect"]
            model.dialect = model.dialect.joined(replace(ProviderQuirks(), **known))


def learn(models: Iterable[EndpointModel], store: Store, refusals: Collection[str]) -> bool:
    """Learn from an endpoint's refusals; return whether the next batch uses other parameters.

    All lines of a batch are refused with the same message, and a file may be read twice, so each message is processed
    once. A refusal does not name the model, so all models omit the parameter.
    """
    learned = [_learn(model, store, refusals) for model in models] if refusals else []
    return any(learned)


def _learn(model: EndpointModel, store: Store, refusals: Collection[str]) -> bool:
    # Imported here: it imports the client, which takes half a second to load.
    from polyadic.llm.endpoint_errors import says_too_long

    with store.write() as writer:
        known_refusals = json.loads(writer.waiting.dialect(model.name) or '{"refusals": []}')["refusals"]
    adapted, processed = model.dialect, []
    for refusal in sorted(set(refusals) - set(known_refusals)):
        without_parameter = None if says_too_long(refusal) else model.dialect.without(refusal)
        if without_parameter:
            adapted = adapted.joined(without_parameter)
            processed.append(refusal)
    if processed:
        with store.write() as writer:
            content = json.dumps(
                {"dialect": asdict(adapted), "refusals": [*known_refusals, *processed]}, ensure_ascii=False
            )
            writer.waiting.keep_dialect(model.name, content)
    return bool(processed)
