"""What a device understands and answers, printed from the table that everything else comes from."""

import textwrap

from drycell.effector.messages import MEANING, VOCABULARY, Command, DeviceTable, Entry, Handling

_WIDTH = 118


def device_table(name: str) -> str:
    """The table of one device for people: commands, replies, the meaning of each real, and refusals."""
    device = VOCABULARY.device(name)
    lines = [f"{device.letter} {device.name}: {device.meaning}", "", "commands"]
    for command in device.commands:
        lines += _entry(f"P{device.letter}{command.letters}", command, _handling(device, command))
    lines += ["", "replies"]
    for reply in device.replies:
        lines += _entry(f"{device.letter}P{reply.letters}", reply, "")
    lines += ["", "refusals"]
    for code, meaning in MEANING.items():
        lines.append(f"  {code:<6}{meaning}")
    return "\n".join(lines)


def _handling(device: DeviceTable, command: Command) -> str:
    when = "queued" if command.handling is Handling.QUEUED else "at once"
    return f"; {when}, answered by {' or '.join(f'{device.letter}P{reply}' for reply in command.replies)}"


def _entry(characters: str, entry: Entry, after: str) -> list[str]:
    lines = _wrapped(f"  {characters}  {entry.name}: ", f"{entry.meaning}{after}", 9)
    for place, real in enumerate(entry.reals, 1):
        lines += _wrapped(f"         {place} {real.name}: ", f"{real.meaning}; {real.limits}", 11)
    return lines


def _wrapped(head: str, text: str, indent: int) -> list[str]:
    return textwrap.wrap(head + text, _WIDTH, subsequent_indent=" " * indent, drop_whitespace=True) or [head]
