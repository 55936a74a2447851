"""Polyadic: answer questions about documents, with citations, from a knowledge hypergraph of n-ary facts.

>>> from polyadic import Workspace                                # doctest: +SKIP
>>> kb = Workspace("kb")                                          # doctest: +SKIP
>>> kb.index(["docs/"])                                           # doctest: +SKIP
>>> print(kb.query("Who wrote the first published program?"))     # doctest: +SKIP
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polyadic.workspace import Workspace

__version__ = "0.1.0"
__all__ = ["Workspace", "__version__"]


def __getattr__(name: str) -> Any:
    # Workspace imports numpy and pydantic: load it on first use to keep "import polyadic" fast.
    if name == "Workspace":
        from polyadic.workspace import Workspace

        return Workspace
    raise AttributeError(f"module 'polyadic' has no attribute {name!r}")
