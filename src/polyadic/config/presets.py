"""Presets: groups of settings that ``polyadic init --preset`` writes into a new ``polyadic.toml``.

Prices are in US dollars per million tokens. A preset has prices only if a source gives them; the source and its date
stand beside them, and in docs/models.md. Users can correct both prices and context sizes in the file.
"""

from collections.abc import Mapping

Preset = Mapping[str, Mapping[str, object]]

# The context size of a local server is the one that it has to be started with (docs/models.md).
_LOCAL = {"key_variable": "", "temperature": 0.0, "timeout": 600.0}

# The facts of a chunk take several times its tokens and must fit into one reply.
_SMALL_WINDOWS = {"chunking": {"window_tokens": 400, "window_overlap": 40}}

# Not for local models: a small model may judge worse than the cross-encoder, and is slow.
_CHECK_CLAIMS = {"answer": {"check_claims": True}}

# Prices and context (replies of at most 16,384 tokens): OpenAI's page on the model, 5 April 2026.
_GPT_4O_MINI = {
    "name": "gpt-4o-mini",
    "context_tokens": 128_000,
    "output_tokens": 16_000,
    "prompt_price": 0.15,
    "completion_price": 0.6,
}

PRESETS: Mapping[str, Preset] = {
    "openai": {"model": _GPT_4O_MINI, **_CHECK_CLAIMS},
    # The context size and the prices of a deployment depend on its model and region.
    "azure": {
        "model": {
            "name": "YOUR-DEPLOYMENT",
            "base_url": "https://YOUR-RESOURCE.openai.azure.com",
            "key_variable": "AZURE_OPENAI_API_KEY",
            "azure_api_version": "2024-10-21",
            "context_tokens": 128_000,
            "output_tokens": 16_000,
        },
        **_CHECK_CLAIMS,
    },
    # Prices (input that is not cached) and context (replies of at most 8,192 tokens): DeepSeek's price list,
    # 9 December 2025.
    "deepseek": {
        "model": {
            "name": "deepseek-chat",
            "base_url": "https://api.deepseek.com",
            "key_variable": "DEEPSEEK_API_KEY",
            "json_mode": "object",
            "context_tokens": 128_000,
            "output_tokens": 8000,
            "prompt_price": 0.28,
            "completion_price": 0.42,
        },
        **_CHECK_CLAIMS,
    },
    "ollama": {
        "model": {
            **_LOCAL,
            "name": "qwen2.5:7b",
            "base_url": "http://localhost:11434/v1",
            "context_tokens": 8192,
            "output_tokens": 4000,
            "at_once": 2,
        },
        **_SMALL_WINDOWS,
    },
    # Context: model card of Qwen2.5-7B-Instruct, September 2024 (32,768 tokens, replies of at most 8,192).
    "vllm": {
        "model": {
            **_LOCAL,
            "name": "Qwen/Qwen2.5-7B-Instruct",
            "base_url": "http://localhost:8000/v1",
            "context_tokens": 32_000,
            "output_tokens": 8000,
            "at_once": 32,
        }
    },
    "llama.cpp": {
        "model": {
            **_LOCAL,
            "name": "default",
            "base_url": "http://localhost:8080/v1",
            "context_tokens": 8192,
            "output_tokens": 4000,
            "at_once": 1,
        },
        **_SMALL_WINDOWS,
    },
    # arXiv 2503.21322v3: models, temperature and concurrency of the experiments, and chunks as in its code. The paper
    # limits replies to 32k tokens, more than the model can generate; the preset uses the model's limit. Price of the
    # embeddings: OpenAI's page on the model, 3 July 2026.
    "paper": {
        "embedding": {"model": "endpoint", "name": "text-embedding-3-small", "window": 8000, "prompt_price": 0.02},
        "model": {**_GPT_4O_MINI, "temperature": 1.0, "at_once": 16},
        "chunking": {"tokens": 1200, "overlap": 100},
        "extraction": {"extractor": "model"},
        "answer": {"by": "model", "format": "think"},
        "retrieval": {"method": "hypergraph", "context_tokens": 16_000, "correct_spelling": False},
        "chunks": {"passages": 5},
        "pathrag": {"entities": 60},
        "hypergraph": {
            "entities": 60,
            "facts": 60,
            "chunks": 5,
            "entity_threshold": 50.0,
            "fact_threshold": 5.0,
            "chunk_threshold": 0.5,
            "question_entities": "model",
            "one_vector_per_entity": True,
            "words": False,
            "fill": False,
            "fallback": 0,
            "facts_per_entity": 0,
            "max_facts": 0,
            "passage_discount": 1.0,
            "repeat_facts": True,
        },
    },
    # arXiv 2503.10150: its models for multi-hop questions, except the embedder (NV-Embed-v2), which OpenAI does not
    # offer. The paper does not limit the tokens of the knowledge.
    "hirag": {
        "embedding": {"model": "endpoint", "name": "text-embedding-3-small", "window": 8000, "prompt_price": 0.02},
        "model": _GPT_4O_MINI,
        "chunking": {"tokens": 1200, "overlap": 100},
        "extraction": {"extractor": "model"},
        "answer": {"by": "model"},
        "retrieval": {"method": "hierarchy", "context_tokens": 16_000, "correct_spelling": False},
        "hierarchy_build": {
            "by": "model",
            "mixture": "raptor",
            "cluster_members": 1000,
            "sparsity_change": 0.05,
            "sparsity_members": "all",
            "layers": 20,
            "redundant_layers": True,
            "community_members": 2,
            "report_facts": 1,
        },
        "hierarchy": {
            "entities": 20,
            "key_entities": 10,
            "communities": 0,
            "paths": "plain",
            "one_vector_per_entity": True,
            "named_first": False,
            "general_questions": False,
            "local_facts": False,
            "whole_reports": True,
            "described_memberships": True,
            "bounded": False,
        },
    },
}
"""Presets by name: common endpoints, and the experimental setups of the papers on HyperGraphRAG and HiRAG."""
