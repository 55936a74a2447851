"""Health check of a workspace: disk, store, embedding model, reranker and language models, within a time limit."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from time import monotonic

from polyadic.config import MODEL_ROLES, ModelSettings, Settings
from polyadic.doctor.check_result import CheckResult, bad, doubtful, good
from polyadic.doctor.disk_check import disk
from polyadic.doctor.embedding_check import embedding
from polyadic.doctor.language_model_check import CHECKS, language_model
from polyadic.doctor.ocr_check import ocr
from polyadic.doctor.reranker_check import reranking
from polyadic.doctor.store_check import stored
from polyadic.embeddings.loading import embedder_name
from polyadic.errors import PolyadicError
from polyadic.storage.url import LocalFolder, StoreLocation

TIMEOUT = 60.0
"""Default time limit of all model checks together, in seconds."""


@dataclass(frozen=True, slots=True)
class _ModelCheck:
    """Checks of one model: the names of their results in order, and the results."""

    names: Sequence[str]
    results: AsyncGenerator[CheckResult, None]


async def run_checks(
    home: StoreLocation, settings: Settings, whole_window: bool, timeout: float = TIMEOUT
) -> AsyncGenerator[CheckResult, None]:
    """Run all checks, cheap ones first, and yield each result as soon as it is known.

    Nothing is changed. Each language model, if any are set, gets a few short requests and a long one.

    Parameters
    ----------
    home
        Location of the workspace.
    settings
        Settings of the workspace.
    whole_window
        Test the whole context window of language models.
    timeout
        Time limit of all model checks together, in seconds.
    """
    if isinstance(home, LocalFolder):
        for finding in disk(home.path):
            yield finding
    dimension = 0
    try:
        if not home.exists():
            yield good("store", f"none in {home} yet; create it with polyadic index PATH")
        else:
            store = home.open(embedder_name(settings.embedding))
            try:
                for finding in stored(store):
                    yield finding
                with store.read() as reader:
                    dimension = reader.records.counts().dimension
            finally:
                store.close()
    except PolyadicError as problem:
        yield bad("store", problem.what, problem.next_step)
    for finding in ocr(settings):
        yield finding
    checks = [_ModelCheck(("embedding",), embedding(settings.embedding, dimension))]
    if settings.reranker.model != "off":
        checks.append(_ModelCheck(("reranker",), reranking(settings.reranker)))
    models = _distinct_models(settings.model)
    checks += [
        _ModelCheck([_labelled(section, name) for name in CHECKS], _language_model(section, model, whole_window))
        for section, model in models.items()
    ]
    async for finding in _within(timeout, checks):
        yield finding
    if not models:
        yield good("model", "none is set, and none is needed (polyadic init --preset sets one up)")
    for finding in _prices(settings.model):
        yield finding


async def _within(seconds: float, checks: Sequence[_ModelCheck]) -> AsyncGenerator[CheckResult, None]:
    """Run checks one after the other until a time limit for all of them: a slow model must not hold up the others.

    Yields
    ------
    CheckResult
        The results, and at the end, if time ran out, one result that names the checks that were not completed.
    """
    ends, missing = monotonic() + seconds, list[str]()
    for check in checks:
        done = set[str]()
        async with aclosing(check.results) as results:
            while True:
                try:
                    result = await asyncio.wait_for(anext(results), ends - monotonic())
                except StopAsyncIteration:
                    break
                except TimeoutError:
                    missing += [name for name in check.names if name not in done]
                    break
                done.add(result.what)
                yield result
    if missing:
        what = f"{', '.join(missing)}, because the time limit of {seconds:g} s for all models was reached"
        yield doubtful("not checked", what, f"polyadic doctor --timeout {5 * seconds:g} waits longer")


def _distinct_models(settings: ModelSettings) -> dict[str, ModelSettings]:
    """Return the models in use by section; of several with the same settings, only the first."""
    sections: dict[ModelSettings, str] = {}
    for role in MODEL_ROLES:
        if settings.of_role(role).name:
            sections.setdefault(settings.of_role(role), settings.section_of(role))
    return {section: model for model, section in sections.items()}


def _labelled(section: str, name: str) -> str:
    """Add the role to the name of a check, except for the model of all roles.

    >>> _labelled("model", "key"), _labelled("model.answers", "key")
    ('key', 'answers key')
    """
    return f"{section.rpartition('.')[2]} {name}" if "." in section else name


async def _language_model(
    section: str, settings: ModelSettings, whole_window: bool
) -> AsyncGenerator[CheckResult, None]:
    from polyadic.llm.endpoint_model import EndpointModel

    model = EndpointModel(settings, section=section)
    try:
        async for finding in language_model(model, whole_window):
            yield replace(finding, what=_labelled(section, finding.what))
    finally:
        await model.close()


def _prices(settings: ModelSettings) -> Iterator[CheckResult]:
    """Warn if a role has a model of its own, but inherits the prices of ``[model]``."""
    for role in MODEL_ROLES:
        given, model = settings.given(role), settings.of_role(role)
        inherits = not {"prompt_price", "completion_price"} & given.keys()
        if inherits and model.name not in ("", settings.name) and (model.prompt_price or model.completion_price):
            step = f"set prompt_price and completion_price under [model.{role}]"
            yield doubtful("prices", f"{model.name} is counted at the prices of {settings.name or '[model]'}", step)
