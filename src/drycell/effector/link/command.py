"""``drycell device``: the command that runs a device as a process, and its options."""

import argparse
import json
import os
import sys
from contextlib import ExitStack
from pathlib import Path
from secrets import token_hex
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from drycell import packages
from drycell.base import FieldError, UnknownName, browser_at

if TYPE_CHECKING:
    from drycell.cell import Cell
    from drycell.effector.device import DebugRecord, LiveMessageDevice
    from drycell.effector.link import DeviceAddress, ServedDevice
    from drycell.effector.messages import LinkTrouble

_NAMES: Final = {"gripper": "gripper", "wrist": "wrist", "tactile": "pad"}
PORT: Final = 4711


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``drycell device`` to a parser."""
    parser.add_argument(
        "kind", metavar="KIND", help=f"kind of device: {', '.join(_NAMES)}, or a device from the --vocabulary file"
    )
    parser.add_argument(
        "--vocabulary",
        metavar="FILE",
        help="a file of devices to add to the table of messages; a stand-in simulates each of them",
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--port", type=int, metavar="N", help=f"listen on this TCP port (default: {PORT}; 0: a free one)"
    )
    place.add_argument("--socket", metavar="PATH", help="listen on a Unix socket instead")
    parser.add_argument(
        "--host",
        metavar="H",
        help="listen on this address; 0.0.0.0 accepts other hosts and requires a token (default: 127.0.0.1)",
    )
    parser.add_argument("--token", metavar="T", help="require this token instead of a random one")
    parser.add_argument("--cell", metavar="CELL", help="cell to run the device in (default: a table with a block)")
    parser.add_argument("--name", metavar="NAME", help="name of the device in the cell, if there are several")
    parser.add_argument(
        "--without", metavar="PROGRAM", action="append", default=[], help="do not run this program of the cell"
    )
    parser.add_argument("--seed", type=int, default=None, metavar="N", help="seed of the cell and of faults")
    parser.add_argument(
        "--speed", type=float, default=1.0, metavar="X", help="run X times as fast as real time (default: 1)"
    )
    parser.add_argument(
        "--faults",
        metavar="F",
        help="fault rates, such as late=0.1,lost=0.02,doubled=0.02,failing=0.05: fractions of messages that are late, "
        "lost or duplicated, and of commands that fail; `latest` is the maximum delay in seconds, such as latest=0.1",
    )
    parser.add_argument("--record", metavar="FILE", help="record all traffic as JSON lines")
    parser.add_argument("--diagram", metavar="FILE", help="draw all traffic as a timing diagram (.svg, .png)")
    parser.add_argument("--picture", action="store_true", help="show the moving device in the browser")
    parser.add_argument("--no-browser", action="store_true", help="with --picture: only print the address of the page")
    parser.add_argument(
        "--subdivisions",
        type=int,
        default=None,
        metavar="N",
        help="with --picture: show each move as N positions, whatever its duration (default: follow the device)",
    )
    parser.add_argument("--table", action="store_true", help="print the messages of the device and exit")
    parser.add_argument("--tied", action="store_true", help="exit when stdin closes; for programs that start a device")


def serve_device(options: argparse.Namespace) -> int:
    """Run a device until it quits; returns the exit code. ``options`` are those of ``add_arguments``."""
    from drycell.effector.messages import VOCABULARY, device_table, load_vocabulary

    vocabulary = load_vocabulary(options.vocabulary) if options.vocabulary else VOCABULARY
    own = [] if vocabulary is VOCABULARY else [each.name for each in vocabulary.devices if not each.controls]
    if options.kind not in (*_NAMES, *own):
        raise UnknownName("kind of device", options.kind, dict.fromkeys([*_NAMES, *own]))
    if options.table:
        print(device_table(_NAMES.get(options.kind, options.kind), vocabulary))
        return 0
    from drycell.effector.link import ServedDevice

    if options.subdivisions is not None and not options.picture:
        raise FieldError(f"--subdivisions {options.subdivisions} needs a picture", hint="add --picture")
    cell, devices = _devices(options)
    device = devices[0]
    address, token = _address(options)
    with ExitStack() as ends:
        served = ServedDevice(cell, [each.pair for each in devices], address, speed=_speed(options.speed), token=token)
        ends.callback(served.close)
        if options.record or options.diagram:
            _record(options, served, ends)
        for each in devices:
            each.debugging.listeners.append(_log)
        if options.picture:
            print(f"{device.name}: picture at {_picture(options, device, ends)}", flush=True)
        if options.tied:
            Thread(target=_end_with_input, args=(served,), name="drycell tie", daemon=True).start()
        asked = f", token {token}" if token and options.token is None else ""
        print(f"{device.name} listens at {served.address}{asked}, {options.speed:g} × real time", flush=True)
        result = served.run()
    print(f"{device.name}: {result.outcome.reason}, {result.duration:.1f} s of cell time, {served.tally}", flush=True)
    return 0


def _devices(options: argparse.Namespace) -> "tuple[Cell, list[LiveMessageDevice[Any]]]":
    """Build the cell; returns it with the devices to serve, the requested one first."""
    from drycell.cell import Cell, CellSource
    from drycell.effector import LiveMessageDevice, StandIn
    from drycell.effector.link import bench

    table = _NAMES.get(options.kind, options.kind)
    if options.cell is None and options.kind not in _NAMES:
        cell = Cell("bench", seed=options.seed or 0)
        cell.add(table, StandIn(table=table, vocabulary=str(Path(options.vocabulary).resolve())))
    elif options.cell is None:
        cell = bench(options.kind, seed=options.seed or 0)
    else:
        cell = CellSource.find(options.cell).build(seed=options.seed)
    for name in options.without:
        if name not in cell.programs:
            raise UnknownName("program", name, cell.programs)
        del cell.programs[name]
    devices = [each for each in cell.devices.values() if isinstance(each, LiveMessageDevice)]
    chosen = _chosen(options, cell.name, [each for each in devices if each.table.name == table])
    taken = {chosen.table.letter: chosen}
    for each in devices:
        taken.setdefault(each.table.letter, each)  # messages name devices by letter: one per kind is served
    if options.faults is not None:
        trouble = _trouble(options.faults)
        for each in taken.values():
            each.pair.disturbance = trouble.bound(cell.seed, each.name)
    return cell, list(taken.values())


def _chosen(
    options: argparse.Namespace, cell: str, fitting: "list[LiveMessageDevice[Any]]"
) -> "LiveMessageDevice[Any]":
    names = [each.name for each in fitting]
    if options.name is not None:
        if options.name not in names:
            raise UnknownName(options.kind, options.name, names)
        return fitting[names.index(options.name)]
    if len(fitting) != 1:
        raise FieldError(
            f"{cell} has {len(fitting)} devices of this kind: {', '.join(names) or 'none'}",
            hint="choose one: --name NAME" if fitting else "add one to the cell file, or omit --cell",
        )
    return fitting[0]


def _trouble(text: str) -> "LinkTrouble":
    from drycell.base import InvalidThing, fields_of
    from drycell.effector.messages import LinkTrouble

    known = [each.key for each in fields_of(LinkTrouble)]
    given: dict[str, float] = {}
    for each in text.split(","):
        name, _, value = each.strip().partition("=")
        if name not in known:
            raise UnknownName("fault", name, known)
        try:
            given[name] = float(value)
        except ValueError:
            raise FieldError(
                f"{each.strip()!r} is not a fault with a number", hint="such as late=0.1,lost=0.02"
            ) from None
    try:
        return LinkTrouble(**given)
    except InvalidThing as error:
        path, what, _ = error.problems[0]
        hint = "write a fraction such as 0.05, or seconds for latest"
        raise FieldError(f"--faults {path[0]}: {what}", hint=hint) from None


def _address(options: argparse.Namespace) -> "tuple[DeviceAddress, str]":
    """Return where to listen, and the token: none on this host unless one is given."""
    from drycell.effector.link import DeviceAddress, parse_address

    if options.socket is not None:
        if options.host is not None:
            raise FieldError(
                f"--host {options.host} with --socket: other hosts cannot reach a Unix socket",
                hint="give --port instead",
            )
        return parse_address(f"unix:{options.socket}"), options.token or ""
    address = DeviceAddress(host=options.host or "127.0.0.1", port=PORT if options.port is None else options.port)
    return address, options.token or ("" if address.loopback else token_hex(16))


def _speed(speed: float) -> float:
    if not 0.01 <= speed <= 1000:
        raise FieldError(
            f"cannot run at {speed:g} × real time: {speed:g} is not between 0.01 and 1000",
            hint="--speed 1 is real time",
        )
    return speed


def _picture(options: argparse.Namespace, device: "LiveMessageDevice[Any]", ends: ExitStack) -> str:
    """Serve the page of the device and open it; returns its address."""
    page = packages.device_page(options.kind, device, options.subdivisions or 0)
    ends.callback(page.close)
    page.start()
    if not options.no_browser:
        ends.enter_context(browser_at(page.url))
    return page.url


def _record(options: argparse.Namespace, served: "ServedDevice", ends: ExitStack) -> None:
    """Record all traffic, and draw it at the end."""
    from drycell.effector.link import Recorder, draw_timing, read_traffic
    from drycell.pictures import check_plot_name

    if options.diagram:
        check_plot_name(options.diagram)
    path = options.record
    if path is None:
        path = str(Path(ends.enter_context(TemporaryDirectory(prefix="drycell-"))) / "traffic.jsonl")
    if options.diagram:
        ends.callback(lambda: draw_timing(read_traffic(path), options.diagram))
    served.watch(ends.enter_context(Recorder(path)))


def _log(record: "DebugRecord") -> None:
    """Print debugging output as a line of JSON."""
    line = {"time": record.time, "device": record.device, "kind": record.kind, "what": record.what, **record.fields}
    print(json.dumps(line, ensure_ascii=False, default=str), file=sys.stderr, flush=True)


def _end_with_input(served: "ServedDevice") -> None:
    """End the device when standard input ends: the program that started it is gone, or asks for it."""
    while os.read(0, 4096):
        pass
    served.stop("the program that started it is gone")
