"""Axes that one far value does not spoil."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from metameter.view.charts.axes import beyond, clipped, padded, robust_span

NUMBERS = st.lists(st.integers(-(10**6), 10**6).map(lambda number: number / 1000), min_size=1, max_size=40)
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def test_an_outlier_is_left_off_the_axis() -> None:
    near = [[i / 100] for i in range(70, 79)]
    assert robust_span([*near, [0.1]]) == (0.7, 0.78)
    assert robust_span([*near, [2.0]]) == (0.7, 0.78)
    # Two of ten are no exception any more.
    assert robust_span([*near[:8], [0.1], [0.12]]) == (0.1, 0.77)
    # Nor does a little more room justify it.
    assert robust_span([*near, [0.63]]) == (0.63, 0.78)


def test_fewer_than_four_rows_are_all_shown() -> None:
    assert robust_span([[0.7], [0.71], [50.0]]) == (0.7, 50.0)
    assert robust_span([[0.7], [0.71], [0.72], [50.0]]) == (0.7, 0.72)


def test_required_values_are_on_the_axis() -> None:
    assert robust_span([[0.5], [0.51], [0.52], [0.53]], within=(0.0,)) == (0.0, 0.53)
    assert robust_span([]) == (0.0, 1.0)
    assert robust_span([[None, float("nan")]]) == (0.0, 1.0)


def test_intervals_are_shown_or_left_out_whole() -> None:
    rows = [[0.0, -0.1, 0.1], [0.02, -0.05, 0.1], [0.01, None, None], [-0.4, -0.5, -0.3]]
    assert robust_span(rows) == (-0.5, 0.1) or robust_span(rows) == (-0.1, 0.1)


@PATIENT
@given(NUMBERS)
def test_at_least_nine_in_ten_rows_are_on_the_axis(numbers: list[float]) -> None:
    low, high = robust_span([[each] for each in numbers])
    inside = [each for each in numbers if low <= each <= high]
    assert len(inside) >= len(numbers) - max(1, len(numbers) // 10)
    assert {low, high} <= set(numbers)
    # Only where the others gain by it.
    if len(inside) < len(numbers):
        assert (high - low) * 2.2 <= max(numbers) - min(numbers)


@PATIENT
@given(NUMBERS, st.floats(-1e4, 1e4))
def test_every_number_is_drawn_or_written(numbers: list[float], value: float) -> None:
    ends = padded(robust_span([[each] for each in numbers]))
    shown = clipped(value, ends)
    assert shown is not None
    assert ends[0] <= shown <= ends[1]
    assert (shown == value) == (beyond(value, ends) == "")
    assert beyond(value, ends)[:1] in ("", "←" if value < ends[0] else "→")
