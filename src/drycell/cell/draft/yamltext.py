"""Values as YAML text: on one line, or as an entry of several lines; always read back as the same value."""

import io
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

LINE: Final = 100


def flow(value: object) -> str:
    """A value on one line: ``{shape: {box: [40 mm, 40 mm, 30 mm]}, at: [0 mm, 0 mm]}``."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{scalar(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value)


def block(key: str, value: object, indent: int, step: int, levels: int = 0) -> list[str]:
    """Lines ``key: value``: one line if it fits, else its fields below it; so many levels have fields below anyway."""
    start = " " * indent + f"{scalar(key)}:"
    line = f"{start} {flow(value)}"
    if not isinstance(value, Mapping) or not value or (len(line) <= LINE and levels < 1):
        return [line]
    return [
        start,
        *(line for name, item in value.items() for line in block(name, item, indent + step, step, levels - 1)),
    ]


def scalar(value: object) -> str:
    """A text, number or boolean as YAML writes it inside brackets, quoted where it must be."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    return _text(str(value))


@lru_cache(maxsize=4096)
def _text(text: str) -> str:
    from ruamel.yaml import YAML
    from ruamel.yaml.comments import CommentedSeq
    from ruamel.yaml.scalarstring import DoubleQuotedScalarString

    # Within brackets more signs need quotes than outside; what is right there is right everywhere.
    written = CommentedSeq([text if text.isprintable() else DoubleQuotedScalarString(text)])
    written.fa.set_flow_style()
    yaml = YAML(typ="rt", pure=True)
    yaml.width = 10**9
    yaml.allow_unicode = True
    stream = io.StringIO()
    yaml.dump(written, stream)
    return stream.getvalue().strip()[1:-1]
