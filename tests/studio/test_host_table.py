"""The table of requests: arguments are checked before anything is done, and errors say what is wrong."""

import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from drycell.base import DrycellError, FieldError, UnknownName
from drycell.studio.host import requests
from drycell.studio.host.session import HostSession
from drycell.studio.host.table import REQUESTS, Reply, Within, answered, fitted, request


@pytest.fixture
def session(tmp_path: Path) -> HostSession:
    return HostSession(tmp_path, lambda event, data: None)


@pytest.fixture
def sums() -> Iterator[None]:
    @request("test sum")
    def total(
        session: HostSession, *, numbers: list[int], unit: str | None = None, pair: tuple[int, int] = (0, 0)
    ) -> Reply:
        return {"total": sum(numbers) + sum(pair), "unit": unit}, b"raw"

    yield
    del REQUESTS["test sum"]


@pytest.mark.usefixtures("sums")
def test_arguments_come_as_the_handler_takes_them(session: HostSession) -> None:
    given = {"numbers": [1, 2], "unit": "mm", "pair": [3, 4]}
    assert answered(session, "test sum", given) == ({"total": 10, "unit": "mm"}, b"raw")


@pytest.mark.usefixtures("sums")
@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "numbers: field required"),
        ({"numbers": "12"}, "numbers: input should be a valid array"),
        ({"numbers": [1, "2"]}, "numbers.1: input should be a valid integer"),
        ({"numbers": [True]}, "numbers.0: input should be a valid integer"),
        ({"numbers": [], "more": 1}, "more: extra inputs are not permitted"),
        ({"numbers": [1.0]}, "numbers.0: input should be a valid integer"),
        ({"numbers": [], "unit": 5}, "unit: input should be a valid string"),
        ({"numbers": [], "pair": [1]}, "pair: input should be an array of 2, not 1"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(
    session: HostSession, given: dict[str, object], told: str
) -> None:
    with pytest.raises(FieldError) as caught:
        answered(session, "test sum", given)
    assert caught.value.what == f"request 'test sum': {told}"
    assert caught.value.hint == "its arguments are numbers, unit, pair"


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        (float, 3, 3.0),
        (float | None, None, None),
        (bool | int | float | str, 3, 3),
        (bool | int | float | str, True, True),
        (Literal[-1, 1], 1, 1),
        (dict[str, Any], {"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}),
        (Annotated[list[float], Within(2, 2)], [1, 2.5], [1.0, 2.5]),
    ],
)
def test_values_fit_their_annotations(kind: object, value: object, found: object) -> None:
    got = fitted(kind, value, "x")
    assert (type(got), got) == (type(found), found)


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        (float, "3", "x: input should be a valid number"),
        (float, 10**400, "x: input should be a valid number"),
        (Literal[-1, 1], True, "x: input should be -1 or 1"),
        (dict[str, Any], [], "x: input should be an object"),
        (Annotated[list[float], Within(2, 2)], [1], "x: input should be at least 2 items"),
        (Annotated[str, Within(most=3)] | None, "four", "x: input should be at most 3 characters"),
        (Annotated[int, Within(0)], -1, "x: input should be at least 0"),
    ],
)
def test_values_that_do_not_fit_are_refused(kind: object, value: object, told: str) -> None:
    with pytest.raises(FieldError) as caught:
        fitted(kind, value, "x")
    assert caught.value.what == told


def test_the_arguments_of_every_request_can_be_checked() -> None:
    for each in pkgutil.iter_modules(requests.__path__):
        importlib.import_module(f"{requests.__name__}.{each.name}")
    for found in REQUESTS.values():
        for name, (kind, _) in found.arguments.items():
            with pytest.raises(FieldError, match=name):
                fitted(kind, object(), name)


def test_a_request_that_nobody_answers_names_the_nearest(session: HostSession) -> None:
    import drycell.studio.host.requests.transport  # noqa: F401  # registers

    with pytest.raises(UnknownName, match="there is no request 'puase'") as caught:
        answered(session, "puase", {})
    assert "pause" in str(caught.value)


@pytest.mark.usefixtures("sums")
def test_two_requests_of_one_name_are_refused() -> None:
    with pytest.raises(DrycellError, match="already"):
        request("test sum")(lambda session: None)
