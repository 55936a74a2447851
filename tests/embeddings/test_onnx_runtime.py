"""Which processors a network runs on."""

import pytest

from polyadic.embeddings.onnx_runtime import open_session

onnxruntime = pytest.importorskip("onnxruntime")
CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"


@pytest.mark.parametrize(
    ("installed", "graphics", "used"),
    [
        ([CPU], True, [CPU]),
        (["TensorrtExecutionProvider", CUDA, CPU], True, [CUDA, CPU]),
        ([CUDA, CPU], False, [CPU]),
        (["AzureExecutionProvider", CPU], True, [CPU]),
    ],
)
def test_gpu_is_used_if_available_and_configured(
    monkeypatch: pytest.MonkeyPatch, installed: list[str], graphics: bool, used: list[str]
) -> None:
    opened: list[list[str]] = []

    def session(graph: bytes, options: object, providers: list[str]) -> None:
        opened.append(providers)

    monkeypatch.setattr(onnxruntime, "get_available_providers", lambda: installed)
    monkeypatch.setattr(onnxruntime, "InferenceSession", session)
    open_session(b"", graphics=graphics)
    assert opened == [used]
