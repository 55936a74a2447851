"""The models that the settings name."""

from polyadic.errors import SettingsError
from polyadic.models.embedder import Embedder
from polyadic.models.language_model import LanguageModel
from polyadic.settings import EmbeddingSettings, ModelSettings


def load_embedder(settings: EmbeddingSettings) -> Embedder:
    """The embedder that the settings name. This is cheap: weights are sought now, and loaded when first used.

    >>> load_embedder(EmbeddingSettings(model="hashing")).name
    'hashing-384'

    Raises
    ------
    WeightsMissing
        The model needs weights, and they are nowhere on this machine.
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

    return MiniLM(find_weights(settings.folder), settings.threads)


def embedder_name(settings: EmbeddingSettings) -> str:
    """Name of the vector space that the settings name, without needing its model.

    >>> embedder_name(EmbeddingSettings())
    'all-MiniLM-L6-v2'

    Raises
    ------
    SettingsError
        The settings name an endpoint, but no model there.
    """
    if settings.model == "endpoint":
        if not settings.name:
            raise SettingsError("[embedding] model is endpoint, but name is empty", "name the model under [embedding]")
        return settings.name
    return "hashing-384" if settings.model == "hashing" else "all-MiniLM-L6-v2"


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
