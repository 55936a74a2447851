"""The models that the settings name."""

from polyadic.errors import SettingsError, WeightsMissing
from polyadic.models.embedder import Embedder
from polyadic.models.language_model import LanguageModel
from polyadic.models.reranker import Reranker
from polyadic.settings import EmbeddingSettings, ModelSettings, RerankerSettings

_LOCAL = {"minilm": "all-MiniLM-L6-v2", "minilm-int8": "all-MiniLM-L6-v2-int8", "hashing": "hashing-384"}


def load_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder that the settings name. This is cheap: weights are sought now, and loaded when first used.

    >>> load_embedder(EmbeddingSettings(model="hashing")).name
    'hashing-384'

    Raises
    ------
    WeightsMissing
        The model needs weights, and they are nowhere on this machine, or in a form that it cannot use.
    SettingsError
        The settings name an endpoint, but no model there.
    """
    if settings.model == "hashing":
        from polyadic.models.hashing import HashingEmbedder

        return HashingEmbedder()
    if settings.model == "endpoint":
        from polyadic.models.endpoint_embedder import EndpointEmbedder

        return EndpointEmbedder(embedder_name(settings), settings)
    from polyadic.models.minilm import MiniLM
    from polyadic.models.weights import find_weights

    weights, int8 = find_weights(settings.folder), settings.model == "minilm-int8"
    if int8 and weights.network.suffix != ".safetensors":
        what = f"minilm-int8 is made from model.safetensors, and {weights.folder} has {weights.network.name} only"
        raise WeightsMissing(what, 'put model.safetensors beside it, or set model = "minilm" under [embedding]')
    return MiniLM(weights, settings.threads, int8=int8)


def embedder_name(settings: EmbeddingSettings) -> str:
    """Name of the vector space that the settings name, without needing its model.

    >>> embedder_name(EmbeddingSettings())
    'all-MiniLM-L6-v2-int8'

    Raises
    ------
    SettingsError
        The settings name an endpoint, but no model there.
    """
    if settings.model == "endpoint":
        if not settings.name:
            raise SettingsError("[embedding] model is endpoint, but name is empty", "name the model under [embedding]")
        return settings.name
    return _LOCAL[settings.model]


def load_language_model(settings: ModelSettings) -> LanguageModel | None:
    """The language model that the settings name; None where they name none. Nothing is asked of it yet.

    >>> load_language_model(ModelSettings()) is None
    True
    """
    if not settings.name:
        return None
    # Imported late: the client takes half a second to load.
    from polyadic.models.endpoint_model import EndpointModel

    return EndpointModel(settings)


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
        from polyadic.models.endpoint_reranker import EndpointReranker

        return EndpointReranker(settings)
    if settings.folder is None:
        raise SettingsError("[reranker] model is onnx, but folder is empty", "name the folder under [reranker]")
    from polyadic.models.cross_encoder import CrossEncoder

    return CrossEncoder(settings.folder.expanduser(), settings.window)
