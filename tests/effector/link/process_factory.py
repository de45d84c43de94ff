"""A separate process that forks victims for kill tests: everything is imported already, so they start at once.

Reads lines ``device ADDRESS`` or ``client ADDRESS`` and answers with the number of the process it made. Ends, and ends
all it made, when its input does.
"""

import os
import signal
import sys
import time

from drycell.effector.link import LinkError, connect
from drycell.effector.link.server import Connection, Server
from drycell.effector.messages import Message


def device(address: str) -> None:
    def on_message(connection: Connection, message: Message) -> None:
        if message.command == "STA":
            connection.send(message.answer("STA", (0.02, 0.03, 400.0, 40.0, 999_999.0, 0.0)))
        else:
            connection.send(message.answer("DON", (message.reals[1], 0.0, 1.0, 0.0, 0.0, 0.0)))

    with Server(address, on_message):
        while True:
            time.sleep(3600)


def client(address: str) -> None:
    gripper = connect(address)
    while True:
        tickets = [gripper.move_to(number / 1000) for number in range(20)]
        gripper.status()
        for ticket in tickets:
            ticket.wait()


def main() -> None:
    made: list[int] = []
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nothing waits for them, so they leave no zombies
    for line in sys.stdin:
        role, address = line.split()
        child = os.fork()
        if not child:
            sys.stdin.close()
            try:
                {"device": device, "client": client}[role](address)
            except LinkError:
                pass
            finally:
                os._exit(0)
        made.append(child)
        print(child, flush=True)
    for child in made:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            continue


if __name__ == "__main__":
    main()
