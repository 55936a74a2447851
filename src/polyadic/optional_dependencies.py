"""Optional packages: what a feature needs beyond the default install."""

from importlib.util import find_spec

from polyadic.errors import PackageMissing


def need(feature: str, extra: str, **packages: str) -> None:
    """Make sure that packages are installed, without loading them.

    Parameters
    ----------
    feature
        What needs them, for the message.
    extra
        The extra of Polyadic that brings them.
    packages
        By the module that is imported, the name under which each is installed.

    Raises
    ------
    PackageMissing
        One of them is not.

    >>> need("reading", "formats", json="json")
    >>> need("flying", "wings", no_such_module="feathers")
    Traceback (most recent call last):
        ...
    polyadic.errors.PackageMissing: flying needs feathers, which is not installed: pip install 'polyadic[wings]'
    """
    for module, package in packages.items():
        if find_spec(module) is None:
            raise PackageMissing(feature, package, extra)


def has_hierarchy() -> bool:
    """Whether what :func:`need_hierarchy` needs is installed."""
    try:
        need_hierarchy()
    except PackageMissing:
        return False
    return True


def need_hierarchy() -> None:
    """What building and searching the hierarchy needs; raises PackageMissing."""
    modules = {"graspologic_native": "graspologic-native", "scipy": "scipy", "sklearn": "scikit-learn"}
    need("the hierarchy", "hierarchy", **modules)
