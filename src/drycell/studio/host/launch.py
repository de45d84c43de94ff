"""Starts the process of a host, with a socket to it.

Needs no event loop and imports almost nothing: the first host is started before the server has loaded anything, so that
both load at the same time.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path

_serials = count(1)


@dataclass(frozen=True)
class Launched:
    """A host that is starting: its process, the server's end of the socket, and the folder for its files."""

    process: subprocess.Popen[bytes]
    wire: socket.socket
    folder: Path

    def kill(self) -> None:
        """End the process and remove its folder."""
        self.process.kill()
        self.process.wait()
        self.wire.close()
        if self.process.stderr is not None:
            self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def launch() -> Launched:
    """Start the process of a host. The host ends, and removes its folder, when the socket is closed."""
    folder = Path(tempfile.mkdtemp(prefix="drycell-host-"))
    here, there = socket.socketpair()
    with there:
        try:
            process = subprocess.Popen(
                # -P: modules in the working folder are not imported, since nobody has said that they can be trusted
                [sys.executable, "-P", "-m", "drycell.studio.host", str(folder), str(next(_serials))],
                stdin=there.fileno(),
                stdout=there.fileno(),
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal is meant for the server, which ends its hosts itself
            )
        except BaseException:
            here.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return Launched(process, here, folder)
