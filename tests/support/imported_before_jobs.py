"""What forked jobs need, imported once."""

import gc
import os

# As the command itself sets it, before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import polyadic.indexing.indexer
import polyadic.server.jobs.worker
import polyadic.storage.sqlite.store  # noqa: F401

gc.freeze()
