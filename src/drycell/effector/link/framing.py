"""Which framing a stream of bytes has, found from its first byte, and what it says."""

from typing import Final, Literal

from drycell.effector.link import binary, text
from drycell.effector.messages import Answer, Malformed

Framing = Literal["text", "binary"]

_TOKEN: Final = f"{text.VERSION} TOKEN ".encode()
_BROWSER: Final = b" HTTP/"


def encode(answer: Answer, framing: Framing) -> bytes:
    """A message or a refusal in one of the framings."""
    return binary.encode(answer) if framing == "binary" else text.encode(answer)


def token_line(token: str) -> bytes:
    """The line that comes first where a token is asked for, whatever the framing of what follows."""
    return _TOKEN + token.encode() + b"\n"


class Decoder:
    """Turns bytes into messages, in the framing that the first byte shows: no text begins as a record does."""

    def __init__(self) -> None:
        self.framing: Framing | None = None
        self._decoder: text.TextDecoder | binary.BinaryDecoder | None = None

    @property
    def partial(self) -> bool:
        """Whether half a message has come."""
        return self._decoder is not None and self._decoder.partial

    def feed(self, data: bytes) -> list[Answer | Malformed]:
        """What the bytes complete, in order; a Malformed stands where something came that is no message."""
        if self._decoder is None:
            if not data:
                return []
            self.framing = "binary" if data[0] == binary.MAGIC[0] else "text"
            self._decoder = binary.BinaryDecoder() if self.framing == "binary" else text.TextDecoder()
        return self._decoder.feed(data)


class GreetedDecoder(Decoder):
    """The decoder of a server: the first line may be a token, or show that a browser calls."""

    def __init__(self) -> None:
        super().__init__()
        self.token: bytes | None = None
        """The token that was given."""
        self.browser = False
        """Whether the first line is that of a browser: what follows it was not meant for a device."""
        self._first: bytes | None = b""

    @property
    def partial(self) -> bool:
        """Whether half a message has come."""
        return bool(self._first) or super().partial

    def feed(self, data: bytes) -> list[Answer | Malformed]:
        """What the bytes complete, in order."""
        if self._first is not None:
            data = self._first + data
            line, end, rest = data.partition(b"\n")
            if data[:1] != binary.MAGIC[:1] and not end and len(data) < text.LONGEST:
                self._first = data
                return []
            self._first = None
            if end and line.startswith(_TOKEN):
                self.token, data = line.removeprefix(_TOKEN).rstrip(b"\r"), rest
            self.browser = _BROWSER in line[: text.LONGEST]
        return super().feed(data)
