"""What tests of Pascal share: programs run at once, without a cell."""

from collections.abc import Callable

import pytest

from drycell.languages.kit import RecordingController, SourceText
from drycell.languages.pascal import PascalError, load_pascal

Shown = Callable[[str], str]
Mistakes = Callable[[str], list[str]]


@pytest.fixture
def shown() -> Shown:
    """What a program prints."""

    def run(text: str) -> str:
        lines: list[str] = []
        load_pascal(SourceText(text, "test.pas"), RecordingController(), echo=lines.append)()
        return "\n".join(lines)

    return run


@pytest.fixture
def trouble() -> Shown:
    """The run-time error of a program, with its position."""

    def run(text: str) -> str:
        program = load_pascal(SourceText(text, "test.pas"), RecordingController(), echo=lambda line: None)
        with pytest.raises(PascalError) as caught:
            program()
        (found,) = caught.value.diagnostics
        return f"{found.span.line}:{found.span.column} {found.what}"

    return run


@pytest.fixture
def mistakes() -> Mistakes:
    """The mistakes in a program, with their positions."""

    def read(text: str) -> list[str]:
        with pytest.raises(PascalError) as caught:
            load_pascal(SourceText(text, "test.pas"))
        return [f"{each.span.line}:{each.span.column} {each.what}" for each in caught.value.diagnostics]

    return read
