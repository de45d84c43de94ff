"""Robot and family files as data: YAML read into dataclasses, every mistake named with file, line and field.

Nothing in such a file is executed. Size and depth are bounded, tags and aliases are refused.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from drycell.errors import DrycellError, MechanismError, did_you_mean

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails
    from ruamel.yaml.nodes import Node

MOST_CHARACTERS: Final = 1_000_000
MOST_DEPTH: Final = 40

T = TypeVar("T")
Path_ = tuple[str | int, ...]
Lines = dict[Path_, int]


def read_file(path: Path) -> str:
    """The text of a data file; raises MechanismError if there is none or it is no text."""
    try:
        with path.open("rb") as stream:
            data = stream.read(4 * MOST_CHARACTERS + 1)
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        near = [entry.name for entry in path.parent.glob("*.yaml")] if path.parent.is_dir() else []
        raise MechanismError(f"there is no file {str(path)!r}", hint=did_you_mean(path.name, near)) from None
    except OSError as error:
        raise MechanismError(f"{str(path)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:
        raise MechanismError(f"{str(path)!r} is no UTF-8 text", hint="save the file as UTF-8") from None
    if len(text) > MOST_CHARACTERS:
        raise MechanismError(f"{str(path)!r} has more than {MOST_CHARACTERS} characters")
    return text


def parse(text: str, kind: type[T], file: str) -> tuple[T, Lines]:
    """The data of a YAML text as a dataclass, and the line of each field."""
    from pydantic import TypeAdapter, ValidationError

    lines: Lines = {}
    data = _plain(_compose(text, file), (), lines, file)
    try:
        return TypeAdapter(kind).validate_python(data), lines
    except ValidationError as error:
        found = error.errors(include_url=False)
        first = min(found, key=lambda each: (line_of(tuple(each["loc"]), lines), tuple(map(str, each["loc"]))))
        raise _mistake(first, lines, file, len(found)) from None


def line_of(path: Path_, lines: Lines) -> int:
    """The line of a field, or of the nearest thing above it."""
    while path and path not in lines:
        path = path[:-1]
    return lines.get(path, 1)


def mistake_at(file: str, path: Path_, lines: Lines, what: str, hint: str | None = None) -> MechanismError:
    """An error that says where in a file something is wrong."""
    field = ".".join(str(step) for step in path)
    return MechanismError(f"{file}:{line_of(path, lines)}: {field}: {what}", hint=hint)


def _mistake(error: "ErrorDetails", lines: Lines, file: str, count: int) -> MechanismError:
    path: Path_ = tuple(error["loc"])
    cause = error.get("ctx", {}).get("error")
    hint: str | None = None
    match error["type"]:
        case "missing":
            what = "is missing"
        case "unexpected_keyword_argument" | "extra_forbidden":
            what, hint = "is no field", "check its spelling"
        case _ if isinstance(cause, DrycellError):
            what, hint = cause.what, cause.hint
        case _:
            what = error["msg"][:1].lower() + error["msg"][1:]
    if count > 1:
        what += f" (and {count - 1} more)"
    return mistake_at(file, path, lines, what, hint)


def _compose(text: str, file: str) -> "Node":
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        node = YAML(typ="rt", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        raise MechanismError(
            f"{file}:{line}: this is not YAML: {error.problem}", hint="look at indents, colons and brackets"
        ) from None
    except YAMLError as error:
        raise MechanismError(f"{file}: this is not YAML: {error}") from None
    if node is None:
        raise MechanismError(f"{file}: the file is empty")
    return node  # type: ignore[no-any-return]


def _plain(node: "Node", path: Path_, lines: Lines, file: str) -> object:
    """Texts, lists and mappings of a YAML node; numbers stay texts, so that each field reads what it wants."""
    from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

    line = node.start_mark.line + 1
    if len(path) > MOST_DEPTH:
        raise MechanismError(f"{file}:{line}: nested more than {MOST_DEPTH} deep")
    if node.anchor or (node.tag or "").startswith("!"):
        raise MechanismError(f"{file}:{line}: anchors and tags are not read", hint="write it out")
    lines[path] = line
    if isinstance(node, MappingNode):
        data: dict[str, object] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, ScalarNode) else "?"
            if name in data or name == "?":
                raise MechanismError(f"{file}:{key.start_mark.line + 1}: {name!r} is there twice or is no name")
            data[name] = _plain(value, (*path, name), lines, file)
        return data
    if isinstance(node, SequenceNode):
        return [_plain(value, (*path, number), lines, file) for number, value in enumerate(node.value)]
    return None if node.value == "" and getattr(node, "style", None) is None else str(node.value)
