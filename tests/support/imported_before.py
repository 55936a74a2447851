"""What forked processes need, imported once; not the store of PostgreSQL, whose waiting time some change."""

import gc
import os

# As the command itself sets it, before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import openai.types.chat  # noqa: F401
import sklearn.decomposition
import sklearn.mixture  # noqa: F401

import polyadic.cli.batch
import polyadic.cli.delete
import polyadic.cli.doctor
import polyadic.cli.export
import polyadic.cli.hierarchy
import polyadic.cli.index
import polyadic.cli.main
import polyadic.cli.query
import polyadic.cli.status
import polyadic.llm.endpoint_errors
import polyadic.llm.throttled_client
import polyadic.server.jobs.worker
import polyadic.server.server  # noqa: F401

gc.freeze()
