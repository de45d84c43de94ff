"""Devices added to the table of messages by a YAML file, without code.

::

    devices:
      - letter: C
        name: changer
        meaning: tool changer
        commands:
          - letters: LCK
            name: lock
            meaning: locks a tool
            queued: true
            reals: [{name: tool, meaning: place in the rack, low: 1, high: 8, whole: true}]
            replies: [DON, FAI]
        replies:
          - {letters: DON, name: done, meaning: it is locked}
          - {letters: FAI, name: failed, meaning: it is not, failure: true}
"""

from pathlib import Path

from drycell.base import DrycellError, FileError, Thing, read_text, read_thing
from drycell.effector.messages.vocabulary import VOCABULARY, DeviceTable, Vocabulary


class VocabularyFile(Thing):
    """A vocabulary file."""

    devices: tuple[DeviceTable, ...]
    """Devices to add; one with the letter of a known device replaces it."""


def load_vocabulary(path: str | Path, base: Vocabulary = VOCABULARY) -> Vocabulary:
    """Load a file of devices, and return a vocabulary with them added.

    Args:
        path: The YAML file.
        base: The vocabulary to add them to.

    Raises:
        FileError: The file cannot be read, or has mistakes; the error lists all of them.
    """
    found = base
    for device in read_thing(VocabularyFile, read_text(Path(path)), str(path)).devices:
        try:
            found = found.with_device(device)
        except DrycellError as error:
            raise FileError(error.what, where=f"{path}, device {device.name}", hint=error.hint) from None
    return found
