"""Terminals without UTF-8 get similar characters, and never an error."""

import io
import os
import sys

import pytest

from drycell.base import plain_output

TEXT = "20 × real time – 5 µs … ██ 90° ö x² → 漢"


@pytest.mark.parametrize(
    ("encoding", "wanted"),
    [
        ("ascii", "20 x real time - 5 us ... ## 90 deg o x2 -> ?"),
        ("iso-8859-1", "20 × real time - 5 µs ... ## 90° ö x² -> ?"),
        ("utf-8", TEXT),
        ("utf-16-le", TEXT),
    ],
)
def test_characters_that_a_terminal_lacks_are_replaced(
    monkeypatch: pytest.MonkeyPatch, encoding: str, wanted: str
) -> None:
    for name in ("stdout", "stderr"):
        data = io.BytesIO()
        monkeypatch.setattr(sys, name, io.TextIOWrapper(data, encoding=encoding))
        plain_output()
        print(TEXT, file=getattr(sys, name), flush=True)
        assert data.getvalue().decode(encoding) == f"{wanted}\n"


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_bytes_of_a_file_name_that_are_not_text_are_shown(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    data = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(data, encoding=encoding))
    plain_output()
    print(os.fsdecode(b"caf\xe9"), chr(0xD800), flush=True)
    assert data.getvalue() == b"caf\\xe9 ?\n"


def test_other_output_streams_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    plain_output()
    print(TEXT)
    assert sys.stdout.getvalue() == f"{TEXT}\n"
