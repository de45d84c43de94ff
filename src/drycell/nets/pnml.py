"""PNML: nets read from and written to the interchange format of Petri nets (ISO/IEC 15909-2).

Place/transition nets are read as the standard has them, with positions; inhibitor arcs as most tools write them
(``<type value="inhibitor"/>``). Capacities, durations and events stand in drycell's own ``toolspecific`` part.
Coloured nets have drycell's expressions in the text of the standard's labels, and a net type of their own.
"""

from pathlib import Path

from drycell.base import FileError, beside
from drycell.nets.coloured import ColouredNet
from drycell.nets.net import Net
from drycell.nets.pnml_reading import read
from drycell.nets.pnml_writing import written

MOST_BYTES = 50_000_000


def load_net(path: str | Path) -> Net | ColouredNet:
    """The net in a PNML file; the first one, if there are several."""
    file = Path(path)
    try:
        size = file.stat().st_size
        if size > MOST_BYTES:
            raise FileError(f"{file} has {size:,} bytes: nets of more than {MOST_BYTES:,} are not read")
        text = file.read_bytes()
    except OSError as error:
        raise FileError(f"cannot read {file}: {error.strerror}") from None
    return read(text, str(file))


def parse_net(text: str | bytes, name: str = "net.pnml") -> Net | ColouredNet:
    """The net in PNML's text; mistakes are told as of a file of this name."""
    return read(text.encode() if isinstance(text, str) else text, name)


def net_text(net: Net | ColouredNet) -> str:
    """A net as PNML's text: the same net gives the same bytes."""
    return written(net)


def save_net(net: Net | ColouredNet, path: str | Path) -> None:
    """Writes a net to a PNML file."""
    text = written(net)
    with beside(path) as place:
        place.write_text(text, encoding="utf-8", newline="\n")
