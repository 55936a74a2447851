"""Load the embedder that the settings name."""

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import SettingsError, WeightsMissing

_LOCAL = {"minilm": "all-MiniLM-L6-v2", "minilm-int8": "all-MiniLM-L6-v2-int8", "hashing": "hashing-384"}


def load_embedder(settings: EmbeddingSettings) -> Embedder:
    """Load the embedder that the settings name. Weights are only located now, and loaded on first use.

    >>> load_embedder(EmbeddingSettings(model="hashing")).name
    'hashing-384'

    Raises
    ------
    WeightsMissing
        The model needs weights that are not on this machine, or not in a usable format.
    SettingsError
        The settings name an endpoint, but no model.
    """
    if settings.model == "hashing":
        from polyadic.embeddings.hashing_embedder import HashingEmbedder

        return HashingEmbedder()
    if settings.model == "endpoint":
        from polyadic.embeddings.endpoint_embedder import EndpointEmbedder

        return EndpointEmbedder(embedder_name(settings), settings)
    from polyadic.embeddings.minilm.embedder import MiniLM
    from polyadic.embeddings.minilm.weights import find_weights

    weights, int8 = find_weights(settings.folder), settings.model == "minilm-int8"
    if int8 and weights.network.suffix != ".safetensors":
        what = f"minilm-int8 is made from model.safetensors, and {weights.folder} has {weights.network.name} only"
        raise WeightsMissing(what, 'add model.safetensors to it, or set model = "minilm" under [embedding]')
    return MiniLM(weights, settings.threads, int8=int8)


def embedder_name(settings: EmbeddingSettings) -> str:
    """Return the name of the vector space that the settings name, without loading its model.

    >>> embedder_name(EmbeddingSettings())
    'all-MiniLM-L6-v2-int8'

    Raises
    ------
    SettingsError
        The settings name an endpoint, but no model.
    """
    if settings.model == "endpoint":
        if not settings.name:
            raise SettingsError("[embedding] model is endpoint, but name is empty", "name the model under [embedding]")
        return settings.name
    return _LOCAL[settings.model]
