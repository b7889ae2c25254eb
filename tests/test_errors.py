"""The one kind of error: it can say anything that it was given."""

import pytest

from metameter.errors import MetameterError


class _Silent:
    def __repr__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "given", [10**5000, [10**5000], {10**5000: 1}, _Silent()], ids=lambda each: type(each).__name__
)
def test_what_cannot_be_printed_is_said_by_its_type(given):
    message = str(MetameterError("trials is out of range", given=given, fix="Give fewer."))
    assert f"given a {type(given).__name__} that cannot be printed" in message
