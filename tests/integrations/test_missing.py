"""Where the framework is not installed, one line says what to install."""

import subprocess
import sys

import pytest

from polyadic.errors import PackageMissing, PolyadicError


@pytest.mark.parametrize(
    ("module", "blocked", "message"),
    [
        ("langchain", "langchain_core", "the LangChain retriever needs langchain-core, which is not installed"),
        ("llamaindex", "llama_index", "the LlamaIndex retriever needs llama-index-core, which is not installed"),
    ],
)
def test_a_missing_framework_is_named(module: str, blocked: str, message: str) -> None:
    program = f"""
import sys
sys.modules[{blocked!r}] = None
import polyadic.integrations.result_metadata
try:
    import polyadic.integrations.{module}
except ImportError as error:
    print(type(error).__name__, error)
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout == f"PackageMissing {message}: pip install 'polyadic[{module}]', or '.[{module}]' in a checkout\n"


def test_missing_framework_error_is_also_an_import_error() -> None:
    assert issubclass(PackageMissing, PolyadicError)
    assert issubclass(PackageMissing, ImportError)
