"""Devices added to the table by a YAML file: a device of one's own needs no code to be spoken to.

::

    devices:
      changer:
        letter: C
        meaning: tool changer
        commands:
          LCK:
            name: lock
            meaning: locks a tool
            queued: true
            reals: [{name: tool, meaning: place in the rack, low: 1, high: 8, whole: true}]
            replies: [DON, FAI]
        replies:
          DON: {name: done, meaning: it is locked}
          FAI: {name: failed, meaning: it is not, failure: true, reals: [{name: reason, choices: {1: no tool}}]}
"""

from pathlib import Path
from typing import Annotated

from drycell.base import DrycellError, FileError, Thing, read_text, read_thing
from drycell.effector.messages.keyed import Keyed
from drycell.effector.messages.table import VOCABULARY
from drycell.effector.messages.vocabulary import DeviceTable, Vocabulary


class VocabularyFile(Thing):
    """A vocabulary file."""

    devices: Annotated[tuple[DeviceTable, ...], Keyed(DeviceTable, "name")]
    """Devices to add, by name; one with the letter of a known device replaces it."""


def load_vocabulary(path: str | Path, base: Vocabulary = VOCABULARY) -> Vocabulary:
    """A vocabulary with the devices of a file added. Raises FileError with all mistakes in the file."""
    file = str(path)
    found = base
    for device in read_thing(VocabularyFile, read_text(Path(path)), file).devices:
        try:
            found = found.with_device(device)
        except DrycellError as error:
            raise FileError(error.what, where=f"{file}, device {device.name}", hint=error.hint) from None
    return found
