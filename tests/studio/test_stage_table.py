"""The table of requests: arguments are checked before anything is done, and errors say what is wrong."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from drycell.errors import DrycellError, FieldError, UnknownName
from drycell.studio.stage.table import REQUESTS, Reply, answered, request
from drycell.studio.stage.theatre import Theatre


@pytest.fixture
def theatre(tmp_path: Path) -> Theatre:
    return Theatre(tmp_path, lambda event, data: None)


@pytest.fixture
def sums() -> Iterator[None]:
    @request("test sum")
    def total(
        theatre: Theatre, *, numbers: list[int], unit: str | None = None, pair: tuple[int, int] = (0, 0)
    ) -> Reply:
        return {"total": sum(numbers) + sum(pair), "unit": unit}, b"raw"

    yield
    del REQUESTS["test sum"]


@pytest.mark.usefixtures("sums")
def test_arguments_come_as_the_handler_takes_them(theatre: Theatre) -> None:
    given = {"numbers": [1, 2], "unit": "mm", "pair": [3, 4]}
    assert answered(theatre, "test sum", given) == ({"total": 10, "unit": "mm"}, b"raw")


@pytest.mark.usefixtures("sums")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "numbers: field required"),
        ({"numbers": "12"}, "numbers: input should be a valid array"),
        ({"numbers": [1, "2"]}, "numbers.1: input should be a valid integer"),
        ({"numbers": [True]}, "numbers.0: input should be a valid integer"),
        ({"numbers": [], "more": 1}, "more: extra inputs are not permitted"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(theatre: Theatre, given: dict[str, object], told: str) -> None:
    with pytest.raises(FieldError) as caught:
        answered(theatre, "test sum", given)
    assert caught.value.what == f"request 'test sum': {told}"
    assert caught.value.hint == "its arguments are numbers, unit, pair"


def test_a_request_that_nobody_answers_names_the_nearest(theatre: Theatre) -> None:
    import drycell.studio.stage.requests.transport  # noqa: F401  # registers

    with pytest.raises(UnknownName, match="there is no request 'puase'") as caught:
        answered(theatre, "puase", {})
    assert "pause" in str(caught.value)


@pytest.mark.usefixtures("sums")
def test_two_requests_of_one_name_are_refused() -> None:
    with pytest.raises(DrycellError, match="already"):
        request("test sum")(lambda theatre: None)
