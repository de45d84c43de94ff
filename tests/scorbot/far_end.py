"""A controller without a line or a clock: it executes commands at once, with arms that tests control."""

from drycell.scorbot import AclInterpreter, LineLost


class StillArm:
    """Moves at once, or not at all."""

    def __init__(self, stuck: bool = False) -> None:
        self.place = (0, 0, 0, 0, 0)
        self.stuck = stuck
        self.lines = [False] * 16
        self.commands: list[str] = []

    def counts(self):
        return self.place

    def move(self, counts, percent):
        self.commands.append(f"move {counts} at {percent} %")
        if not self.stuck:
            self.place = counts
        return ""

    def move_linear(self, counts, speed):
        self.commands.append(f"linear to {counts} at {speed} mm/s")
        self.place = counts
        return ""

    def grip(self, opened):
        self.commands.append("open" if opened else "close")
        return ""

    def inputs(self):
        return tuple(self.lines)

    def outputs(self):
        return (False,) * 16

    def set_output(self, number, on):
        self.commands.append(f"output {number} {'on' if on else 'off'}")

    def abort(self):
        self.commands.append("abort")

    def control(self, on):
        self.commands.append("control on" if on else "control off")


class FarEnd:
    """A port with an interpreter behind it. ``log`` has the lines that were sent."""

    name = "far end"

    def __init__(self, arm: StillArm, *, unplugged_after: int | None = None) -> None:
        self.interpreter = AclInterpreter(arm)
        self.log: list[str] = []
        self._out = b""
        self._left = unplugged_after

    def read(self, timeout: float) -> bytes:
        data, self._out = self._out, b""
        return data

    def write(self, data: bytes) -> None:
        if self._left == 0:
            raise LineLost(self.name, sent="", trouble="nothing can be sent")
        if data == b"\x01":
            self.log.append("Ctrl-A")
            self.interpreter.abort()
            return
        line = data.decode().removesuffix("\r")
        self.log.append(line)
        if self._left is not None and line:
            self._left -= 1
        for each in (line, *self.interpreter.execute(line)):
            self._out += each.encode() + b"\r\n"
        self._out += b">"

    def close(self) -> None:
        self.log.append("closed")
