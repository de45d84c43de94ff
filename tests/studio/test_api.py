"""The API of the host: arguments and results are checked on both sides, and errors name the field."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from drycell.base import FieldError, UnknownName
from drycell.studio.api.codec import Json, PoseData, Within, decode, encode
from drycell.studio.api.remote import HostApi, answer, methods, remote_host
from drycell.studio.api.transport import HostStatus, ProcessStatus
from drycell.studio.host.process import host_of
from drycell.studio.host.session import HostSession

TOPICS = tuple(HostApi.__dataclass_fields__)


@pytest.fixture
def host(tmp_path: Path) -> HostApi:
    return host_of(HostSession(tmp_path, lambda event: None))


@pytest.fixture
def far(host: HostApi) -> HostApi:
    """The host behind a proxy."""

    async def send(name: str, given: dict[str, Json]) -> tuple[Json, bytes]:
        data, payload = answer(host, name, json.loads(json.dumps(given)))
        return json.loads(json.dumps(data)), payload

    return remote_host(send)


def test_a_remote_call_equals_the_local_call(host: HostApi, far: HostApi) -> None:
    async def calls() -> None:
        assert await far.transport.set_speed(3) == await host.transport.status()
        assert (await far.transport.status()).factor == 3.0
        assert await far.transport.next_event(0, by=1) is None
        assert await far.scene.tree() == await host.scene.tree()
        with pytest.raises(UnknownName, match="mesh"):
            await far.scene.mesh("none")

    asyncio.run(calls())


@pytest.mark.parametrize(
    ("name", "given", "reported"),
    [
        ("transport.seek", {}, "t: field required"),
        ("transport.seek", {"t": "12"}, "t: input should be a valid integer"),
        ("transport.seek", {"t": True}, "t: input should be a valid integer"),
        ("transport.seek", {"t": 1.0}, "t: input should be a valid integer"),
        ("transport.seek", {"t": 1, "more": 1}, "more: extra inputs are not permitted"),
        ("transport.step", {"by": "leap"}, "by: input should be 'event' or 'line' or 'cycle'"),
        ("scene.overlays", {"t": 0, "what": "all"}, "what: input should be a valid array"),
        ("scene.overlays", {"t": -1, "what": []}, "t: input should be at least 0"),
        ("journal.page", {"wanted": {"kind": []}}, "wanted.kind: extra inputs are not permitted"),
        (
            "scene.pick",
            {"number": 0, "origin": [1, 2], "direction": [0, 0, 1], "t": 0},
            "origin: input should be an array of 3, not 2",
        ),
    ],
)
def test_arguments_that_do_not_fit_are_refused_by_name(
    host: HostApi, name: str, given: dict[str, Json], reported: str
) -> None:
    with pytest.raises(FieldError) as caught:
        answer(host, name, given)
    assert caught.value.what == f"request {name!r}: {reported}"
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("its arguments are ")


@dataclass(frozen=True)
class Sample:
    name: str
    numbers: tuple[float, ...] = ()
    content: bytes = b""


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
        (tuple[int, ...], [1, 2], (1, 2)),
        (tuple[float | None, ...], [1.5, None], (1.5, None)),
        (tuple[int, str], [1, "a"], (1, "a")),
        (Sample, {"name": "a", "numbers": [1, 2.5]}, Sample("a", (1.0, 2.5))),
        (Sample | None, None, None),
    ],
)
def test_values_fit_their_annotations(kind: object, value: object, found: object) -> None:
    got = decode(kind, value, "x")
    assert (type(got), got) == (type(found), found)


@pytest.mark.parametrize(
    ("kind", "value", "reported"),
    [
        (float, "3", "x: input should be a valid number"),
        (float, 10**400, "x: input should be a valid number"),
        (Literal[-1, 1], True, "x: input should be -1 or 1"),
        (dict[str, Any], [], "x: input should be an object"),
        (Annotated[list[float], Within(2, 2)], [1], "x: input should be at least 2 items"),
        (Annotated[str, Within(most=3)] | None, "four", "x: input should be at most 3 characters"),
        (Annotated[int, Within(0)], -1, "x: input should be at least 0"),
        (PoseData, [0.0] * 6, "x: input should be at least 7 items"),
        (tuple[int, ...], [1, "2"], "x.1: input should be a valid integer"),
        (tuple[int, ...], [True], "x.0: input should be a valid integer"),
        (Sample, {"numbers": []}, "x.name: field required"),
        (Sample, {"name": "a", "more": 1}, "x.more: extra inputs are not permitted"),
        (Sample, [], "x: input should be an object"),
    ],
)
def test_values_that_do_not_fit_are_refused(kind: object, value: object, reported: str) -> None:
    with pytest.raises(FieldError) as caught:
        decode(kind, value, "x")
    assert caught.value.what == reported


def test_bytes_travel_beside_the_json() -> None:
    payload: list[bytes] = []
    data = encode(Sample("a", (1.0,), b"raw"), payload)
    assert (json.loads(json.dumps(data)), payload) == ({"name": "a", "numbers": [1.0], "content": 3}, [b"raw"])
    assert decode(Sample, data, "x", b"raw") == Sample("a", (1.0,), b"raw")


def test_a_status_arrives_as_it_was_sent() -> None:
    status = HostStatus(mode="live", processes=(ProcessStatus("tend", "tend.py", 3, "waiting", "lamp"),), factor=None)
    assert decode(HostStatus, json.loads(json.dumps(encode(status))), "status") == status


@pytest.mark.parametrize("topic", TOPICS)
def test_the_arguments_of_every_method_can_be_checked(topic: str) -> None:
    assert methods(topic)
    for method in methods(topic).values():
        for name, kind in method.arguments.items():
            with pytest.raises(FieldError, match=name):
                decode(kind, object(), name)


def test_an_unknown_method_names_the_nearest(host: HostApi) -> None:
    with pytest.raises(UnknownName, match=r"there is no request 'transport\.puase'") as caught:
        answer(host, "transport.puase", {})
    assert "transport.pause" in str(caught.value)
