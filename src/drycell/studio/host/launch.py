"""The launch of a host: its process is started, and a wire leads to it.

Needs no event loop, and imports next to nothing: the first host is on its way before the server has loaded anything
itself, so that both load at the same time.
"""

import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Launched:
    """A host on its way: its process, the server's end of the wire, and the folder for its files."""

    process: subprocess.Popen[bytes]
    wire: socket.socket
    folder: Path

    def give_up(self) -> None:
        """Nobody wants it any more."""
        self.process.kill()
        self.process.wait()
        self.wire.close()
        if self.process.stderr is not None:
            self.process.stderr.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def launch() -> Launched:
    """Starts the process of a host. When the wire ends, so does the host, and takes its folder along."""
    folder = Path(tempfile.mkdtemp(prefix="drycell-stage-"))
    here, there = socket.socketpair()
    with there:
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "drycell.studio.host", str(folder)],
                stdin=there.fileno(),
                stdout=there.fileno(),
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C in the terminal is for the server: it ends its hosts itself
            )
        except BaseException:
            here.close()
            shutil.rmtree(folder, ignore_errors=True)
            raise
    return Launched(process, here, folder)
