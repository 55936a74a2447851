"""Load the reranker that the settings name."""

from polyadic.config import RerankerSettings
from polyadic.errors import SettingsError
from polyadic.rerankers.reranker import Reranker


def load_reranker(settings: RerankerSettings) -> Reranker | None:
    """The reranker that the settings name; None where there is to be none. Nothing is asked of it yet.

    >>> load_reranker(RerankerSettings()) is None
    True

    Raises
    ------
    WeightsMissing
        A local one is named, and its files are not there.
    SettingsError
        Its name or its folder is missing.
    """
    if settings.model == "off":
        return None
    if settings.model == "endpoint":
        if not (settings.name and settings.base_url):
            what = "[reranker] model is endpoint, but name or base_url is empty"
            raise SettingsError(what, "set both under [reranker]")
        from polyadic.rerankers.endpoint_reranker import EndpointReranker

        return EndpointReranker(settings)
    if settings.folder is None:
        raise SettingsError("[reranker] model is onnx, but folder is empty", "name the folder under [reranker]")
    from polyadic.rerankers.cross_encoder import CrossEncoder

    return CrossEncoder(settings.folder.expanduser(), settings.window)
