"""Copies of recordings: the same to the byte but for where the cell's files are, seen from the new place."""

import os
from pathlib import Path

from drycell.recording.container import ContainerReader, ContainerWriter, reading, writing
from drycell.recording.header import Header, seen_from


def copy_recording(path: Path, target: Path) -> None:
    """Copies a recording so that its source is found from there as it was from here: what a run recorded there at
    once would have been."""
    container = ContainerReader(path)
    try:
        document = container.document("header.json")
        with reading(path, "header.json"):
            header = Header.of(document)
            told = {key: each.value for key, each in document.items()}
            told["folder"] = _moved(header, path, target)
        writer = ContainerWriter(target)
        try:
            with writing(target):
                for name in container.names:
                    if name == "header.json":
                        writer.document(name, told)  # type: ignore[arg-type]  # JSON it is: just parsed
                        continue
                    data = container.read(name)
                    with writer.member(name, len(data)) as member:
                        member.write(data)
                writer.finish()
        except BaseException:
            writer.discard()
            raise
    finally:
        container.close()


def _moved(header: Header, path: Path, target: Path) -> str:
    if not header.source:
        return header.folder
    return seen_from(target.parent.resolve(), Path(os.path.normpath(path.parent.resolve() / header.folder)))
