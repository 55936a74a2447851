"""Load the reranker that the settings name, and the cross-encoders of the package."""

from polyadic.config import EmbeddingSettings, RerankerSettings
from polyadic.embeddings.minilm.weights import find_weights
from polyadic.errors import SettingsError
from polyadic.rerankers.pair_scoring.models import PairModel
from polyadic.rerankers.pair_scoring.scorer import PairScorer
from polyadic.rerankers.reranker import Reranker


def load_reranker(settings: RerankerSettings) -> Reranker | None:
    """Load the reranker that the settings name; None if it is off. No call is made.

    >>> load_reranker(RerankerSettings()) is None
    True

    Raises
    ------
    WeightsMissing
        The files of a local reranker do not exist.
    SettingsError
        The name or the folder is missing.
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


def load_pair_scorer(model: PairModel, settings: EmbeddingSettings) -> PairScorer | None:
    """Load a cross-encoder of the package; None if the embedder is another model.

    It is made from the embedder's weights in ``model.safetensors``, which are only located now.

    >>> from polyadic.rerankers.pair_scoring.models import ANSWER_SELECTION
    >>> load_pair_scorer(ANSWER_SELECTION, EmbeddingSettings(model="hashing")) is None
    True
    """
    if settings.model not in ("minilm", "minilm-int8"):
        return None
    weights = find_weights(settings.folder)
    return PairScorer(weights, model) if weights.network.suffix == ".safetensors" else None
