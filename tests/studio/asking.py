"""Calls methods of a session's host as they go over the wire: by name, in JSON."""

import json
from typing import Any
from weakref import WeakKeyDictionary

from drycell.studio.api.remote import HostApi, answer
from drycell.studio.host.process import host_of
from drycell.studio.host.session import HostSession

_HOSTS: "WeakKeyDictionary[HostSession, HostApi]" = WeakKeyDictionary()


def host(session: HostSession) -> HostApi:
    """The host of a session, the same one each time."""
    if session not in _HOSTS:
        _HOSTS[session] = host_of(session)
    return _HOSTS[session]


def answered(session: HostSession, name: str, given: dict[str, Any]) -> tuple[Any, bytes]:
    """The answer to a call such as ``transport.run``, as the server gets it."""
    data, payload = answer(host(session), name, json.loads(json.dumps(given)))
    return json.loads(json.dumps(data, allow_nan=False)), payload
