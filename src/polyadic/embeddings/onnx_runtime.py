"""onnxruntime, set up as every network here wants it."""

import os
from pathlib import Path

# Unless this is set before it is imported, onnxruntime reports its use to Microsoft.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime  # type: ignore[import-untyped]

# The output of a graph that tells whether this machine's fast products of eight-bit numbers are exact, and what it must
# be: that many times the product of the largest numbers.
PROBE, PROBE_TIMES = "probe", 64
PROBE_EXACT = PROBE_TIMES * 255 * 127


# A graphics processor first, where the build of onnxruntime for these is installed and there is one.
_GRAPHICS, _PROCESSOR = "CUDAExecutionProvider", "CPUExecutionProvider"


def open_session(
    graph: str | bytes, data: Path | None = None, *, exact_products: bool = False, graphics: bool = False
) -> onnxruntime.InferenceSession:
    """A session for one batch a thread.

    Parameters
    ----------
    graph
        The graph's file, or the graph itself.
    data
        The folder where the weights lie that the graph names.
    exact_products
        Use slower products of eight-bit numbers, which are exact on every processor.
    graphics
        Use a graphics processor where that can be.
    """
    options = onnxruntime.SessionOptions()
    # A batch has one thread, and there are several batches at once: as fast as several threads for one batch,
    # and far faster on a busy machine, where the threads of a batch would wait for each other.
    options.intra_op_num_threads = 1
    # Every batch has another shape: remembering how memory was used for each one would only fill memory.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    if data:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(data))
    if exact_products:
        options.add_session_config_entry("session.x64quantprecision", "1")
    known = onnxruntime.get_available_providers() if graphics else ()
    providers = [_GRAPHICS, _PROCESSOR] if _GRAPHICS in known else [_PROCESSOR]
    return onnxruntime.InferenceSession(graph, options, providers=providers)
