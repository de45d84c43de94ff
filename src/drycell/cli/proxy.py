"""Pass messages between a controlling program and its devices, and report replies that contradict each other.

The program, in any language, connects to the proxy, which passes every message on unchanged. The proxy prints replies
that contradict each other (conflicting), that fit more than one command (ambiguous), or that no command is waiting for
(redundant). DEVICE is the name of a device in the table of messages: gripper, wrist, pad, or a device from the
--vocabulary file. List each device, even if several have the same address.


examples:
  drycell device tactile --port 4711                                   in one terminal, then in another:
  drycell proxy gripper=tcp:127.0.0.1:4711 pad=tcp:127.0.0.1:4711      and connect the program to tcp:127.0.0.1:4700

exit code: 0 if all replies were consistent, 2 if some were not, 1 on error. Ctrl-C ends the proxy.
"""

import argparse
import asyncio
from contextlib import ExitStack, suppress
from secrets import token_hex

PORT = 4700


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell proxy``."""
    parser.add_argument(
        "devices", metavar="DEVICE=ADDRESS", nargs="+", help="a device and its address, such as pad=unix:pad.sock"
    )
    place = parser.add_mutually_exclusive_group()
    place.add_argument(
        "--port",
        type=int,
        default=PORT,
        metavar="N",
        help="listen on this TCP port (default: %(default)s; 0: a free one)",
    )
    place.add_argument("--socket", metavar="PATH", help="listen on a Unix socket instead")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="H",
        help="listen on this address; 0.0.0.0 accepts other hosts and requires a token (default: %(default)s)",
    )
    parser.add_argument("--token", metavar="T", help="the token that programs must send")
    parser.add_argument("--device-token", default="", metavar="T", help="the token that the devices require")
    parser.add_argument("--vocabulary", metavar="FILE", help="a file of devices to add to the table of messages")
    parser.add_argument("--record", metavar="FILE", help="record all traffic as JSON lines")
    parser.add_argument("--once", action="store_true", help="exit when the first program disconnects")


def main(options: argparse.Namespace) -> int:
    """Run the proxy until it is ended, and return the exit code."""
    from drycell.effector.link import DeviceAddress, Proxy, Recorder, parse_address
    from drycell.effector.messages import VOCABULARY, load_vocabulary

    vocabulary = load_vocabulary(options.vocabulary) if options.vocabulary else VOCABULARY
    address = DeviceAddress(host=options.host, port=options.port)
    if options.socket:
        address = parse_address(f"unix:{options.socket}")
    token = options.token or ("" if address.loopback else token_hex(16))
    devices = {}
    for given in options.devices:
        name, _, place = given.partition("=")
        devices[vocabulary.device(name).name] = parse_address(place)
    with ExitStack() as ends:
        proxy = Proxy(
            address,
            devices,
            vocabulary,
            token=token,
            device_token=options.device_token,
            report=lambda found: print(found, flush=True),
            once=options.once,
        )
        ends.callback(proxy.close)
        if options.record:
            proxy.watch(ends.enter_context(Recorder(options.record)))
        shown = f", token {token}" if token and options.token is None else ""
        print(f"proxy listens at {proxy.address}{shown}", flush=True)
        with suppress(KeyboardInterrupt):
            asyncio.run(proxy.run())
        for pair in proxy.checker.repeated:
            print(f"superfluous: {pair.text}", flush=True)
    count = len(proxy.checker.found)
    print(f"{count} inconsistenc{'y' if count == 1 else 'ies'}", flush=True)
    return 2 if count else 0
