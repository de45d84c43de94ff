"""Output on terminals without UTF-8: missing characters are replaced by similar ones."""

import codecs
import io
import sys
import unicodedata
from typing import Final

_PLAIN: Final = {
    **dict.fromkeys("–—−─━╌", "-"),
    **dict.fromkeys("│├└", "|"),
    **dict.fromkeys("█▇▆▅▄▃▂▁▉▊▋▌▍▎▏", "#"),
    **dict.fromkeys("·●", "*"),
    **dict.fromkeys("“”″", '"'),
    **dict.fromkeys("′", "'"),
    **dict.fromkeys("…⋯", "..."),
    "×": "x",
    "→": "->",
    "←": "<-",
    "↑": "^",
    "↓": "v",
    "≤": "<=",
    "≥": ">=",
    "±": "+-",
    "°": " deg",
    "√": "sqrt ",
    "µ": "u",
    "μ": "u",
    "½": "1/2",
    "π": "pi",
    "ω": "omega",
    "θ": "theta",
}
_HANDLER: Final = "drycell.plain"


def plain_output() -> None:
    """Make standard output and standard error replace characters that their encoding lacks, instead of failing."""
    codecs.register_error(_HANDLER, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, io.TextIOWrapper):
            continue
        # UTF-8 has every character, but not the bytes of a file name that are not text.
        if stream.errors == "strict" or codecs.lookup(stream.encoding).name != "utf-8":
            stream.reconfigure(errors=_HANDLER)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_PLAIN.get(each) or _base(each) for each in error.object[error.start : error.end]), error.end


def _base(character: str) -> str:
    """Return a letter without its accent, a superscript digit as a digit, and a question mark for anything else. A
    byte of a file name that is not text is shown as ``\\xe9``."""
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode() or "?"
