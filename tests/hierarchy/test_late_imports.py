"""The libraries of the hierarchy take a second to load, which nobody who does not build one should wait for."""

import subprocess
import sys

LATE = ("sklearn", "scipy", "graspologic_native", "threadpoolctl", "umap", "numba")


def test_package_and_command_do_not_import_clustering_libraries() -> None:
    code = f"""
import sys, polyadic, polyadic.cli.main
import polyadic.clustering.soft_clustering, polyadic.hierarchy.leiden, polyadic.hierarchy.community_graph
import polyadic.hierarchy.layer_stopping, polyadic.hierarchy.measures
print([name for name in {LATE} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
