"""The table in words: what every device understands and says, for people who write a client or a device."""

from drycell.effector.messages.refusal import MEANING
from drycell.effector.messages.table import VOCABULARY
from drycell.effector.messages.vocabulary import Command, DeviceTable, Entry, Vocabulary


def print_table(vocabulary: Vocabulary = VOCABULARY) -> str:
    """The whole vocabulary as Markdown: a section for each device, a row for each real, and the refusals."""
    controllers = [device for device in vocabulary.devices if device.controls]
    parts = ["".join(f"`{device.letter}` is the {device.name}: {device.meaning}.\n" for device in controllers)]
    source = controllers[0].letter if controllers else "P"
    parts += [_section(device, source) for device in vocabulary.devices if not device.controls]
    rows = "".join(f"| `{code}` | {meaning} |\n" for code, meaning in MEANING.items())
    parts.append(f"## Refusals\n\n| code | what was wrong |\n|---|---|\n{rows}")
    return "\n".join(parts)


def _section(device: DeviceTable, source: str) -> str:
    lines = [f"## {device.name} (`{device.letter}`)\n\n{device.meaning[0].upper()}{device.meaning[1:]}.\n"]
    lines.append("| command | what it does | acted on | replies |\n|---|---|---|---|")
    for command in device.commands:
        replies = ", ".join(f"`{device.letter}{source}{reply}`" for reply in command.replies)
        name = f"`{source}{device.letter}{command.letters}` {command.name}"
        lines.append(f"| {name} | {command.meaning} | {command.handling.value} | {replies} |")
    lines.append("\n| message | real | name | what it is | limits |\n|---|---|---|---|---|")
    for entry in (*device.commands, *device.replies):
        ends = (source, device.letter) if isinstance(entry, Command) else (device.letter, source)
        lines += _rows(f"`{''.join(ends)}{entry.letters}`", entry)
    return "\n".join(lines) + "\n"


def _rows(characters: str, entry: Entry) -> list[str]:
    if not entry.reals:
        return [f"| {characters} | 1–6 |  | no meaning, 0 |  |"]
    rows = []
    for place, real in enumerate(entry.reals, 1):
        rows.append(f"| {characters} | {place} | {real.name} | {real.meaning} | {real.limits} |")
    return rows
