"""Checks for optional packages, which are installed by extras."""

from importlib.util import find_spec

from polyadic.errors import PackageMissing


def need(feature: str, extra: str, **packages: str) -> None:
    """Check that packages are installed, without importing them.

    Parameters
    ----------
    feature
        The feature that needs them, for the message.
    extra
        The extra of Polyadic that installs them.
    packages
        Package names in the package index, by the name of the module to import.

    Raises
    ------
    PackageMissing
        One of them is not installed.

    >>> need("reading", "formats", json="json")
    >>> try:
    ...     need("flying", "wings", no_such_module="feathers")
    ... except PackageMissing as missing:
    ...     missing.what
    'flying needs feathers, which is not installed'
    """
    for module, package in packages.items():
        if find_spec(module) is None:
            raise PackageMissing(feature, package, extra)


def has_hierarchy() -> bool:
    """Return whether the packages of the extra ``hierarchy`` are installed."""
    try:
        need_hierarchy()
    except PackageMissing:
        return False
    return True


def need_hierarchy(reduction: str = "pca") -> None:
    """Check that the packages for building and searching the hierarchy are installed.

    Parameters
    ----------
    reduction
        How vectors are reduced before they are clustered; all but PCA needs another package.

    Raises
    ------
    PackageMissing
        One of them is not installed.
    """
    modules = {"graspologic_native": "graspologic-native", "scipy": "scipy", "sklearn": "scikit-learn"}
    need("the hierarchy", "hierarchy", **modules)
    if reduction != "pca":
        need(f'reduction = "{reduction}"', "umap", umap="umap-learn")
