"""onnxruntime with common session options."""

import os
from pathlib import Path

# onnxruntime sends telemetry to Microsoft unless this is set before its import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
import onnxruntime  # type: ignore[import-untyped]

# Graph output that shows whether this machine's fast eight-bit products are exact, and the exact value: that many times
# the product of the largest numbers.
PROBE, PROBE_TIMES = "probe", 64
PROBE_EXACT = PROBE_TIMES * 255 * 127


# A GPU first, if onnxruntime was built for it and there is one.
_GRAPHICS, _PROCESSOR = "CUDAExecutionProvider", "CPUExecutionProvider"


def open_session(
    graph: str | bytes, data: Path | None = None, *, exact_products: bool = False, graphics: bool = False
) -> onnxruntime.InferenceSession:
    """Open a session that computes one batch per thread.

    Parameters
    ----------
    graph
        The graph's file, or the serialized graph.
    data
        Folder of the external weights of the graph.
    exact_products
        Use slower eight-bit products, which are exact on every processor.
    graphics
        Use a GPU if available.
    """
    options = onnxruntime.SessionOptions()
    # One thread per batch and several batches at once: as fast as several threads for one batch, and far faster on a
    # busy machine, where the threads of a batch would wait for each other.
    options.intra_op_num_threads = 1
    # Every batch has another shape: memory patterns for each would only fill memory.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    if data:
        options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(data))
    if exact_products:
        options.add_session_config_entry("session.x64quantprecision", "1")
    available = onnxruntime.get_available_providers() if graphics else ()
    providers = [_GRAPHICS, _PROCESSOR] if _GRAPHICS in available else [_PROCESSOR]
    return onnxruntime.InferenceSession(graph, options, providers=providers)
