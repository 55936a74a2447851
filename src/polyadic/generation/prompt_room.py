"""How much knowledge a prompt has room for."""

from polyadic.llm.language_model import LanguageModel, ModelRequest
from polyadic.text.tokens import count_tokens

# Tokens that a chat endpoint adds to the messages.
_AROUND_A_REQUEST = 50
# Tokens are counted with OpenAI's tokenizer; another one may need a few more.
_MARGIN = 1.1
# Tokens reserved for a reply, far fewer than the longest one; at most this share of the model's context.
_REPLY_TOKENS, _REPLY_SHARE = 1000, 0.25


def prompt_room(request: ModelRequest, model: LanguageModel, context_tokens: int) -> int:
    """Return the token budget for knowledge, limited to what the model's context holds besides a reply.

    Parameters
    ----------
    request
        The request without knowledge.
    model
        The model that is to be asked.
    context_tokens
        The budget in the settings.
    """
    held = model.context_tokens
    reply = min(model.output_tokens, _REPLY_TOKENS, int(held * _REPLY_SHARE))
    prompt = sum(count_tokens([message.text for message in request.messages]))
    left = int((held - reply) / _MARGIN) - prompt - _AROUND_A_REQUEST
    return max(0, min(context_tokens, left))
