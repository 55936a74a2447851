"""The average of several adapters of the cross-encoder."""

import numpy as np

from benchmarks.answer_selection.averaging import averaged


def test_average_of_changes_is_kept_up_to_the_rank() -> None:
    chance = np.random.default_rng(0)
    adapters = [
        {
            "layer.up": chance.normal(size=(6, 2)).astype(np.float16),
            "layer.down": chance.normal(size=(2, 5)).astype(np.float16),
            "head.bias": np.array([number], dtype=np.float16),
        }
        for number in (1, 3)
    ]
    expected = np.mean([one["layer.up"].astype(float) @ one["layer.down"] for one in adapters], axis=0)
    whole, less = averaged(adapters, 4), averaged(adapters, 1)
    np.testing.assert_allclose(whole["layer.up"].astype(float) @ whole["layer.down"], expected, atol=0.02)
    assert whole["head.bias"].tolist() == [2]
    assert less["layer.up"].shape == (6, 1)
    error = np.linalg.norm(less["layer.up"].astype(float) @ less["layer.down"] - expected)
    np.testing.assert_allclose(error, np.linalg.norm(np.linalg.svd(expected)[1][1:]), rtol=0.01)
