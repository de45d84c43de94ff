"""The parts of the documentation site that are not pages in docs/: mkdocs calls these hooks, see mkdocs.yml.

The API reference has a page for ``import drycell`` and one for each package. They list what the packages export, so
there is nothing to keep up to date by hand. Files outside docs/ that a page links to, such as examples, are copied.
"""

import ast
import dataclasses
import importlib
import inspect
import posixpath
import re
import sys
from pathlib import Path
from typing import Final

from griffe import Extension, Object
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT: Final = Path(__file__).resolve().parents[1]
SOURCE: Final = ROOT / "src" / "drycell"
sys.path.insert(0, str(SOURCE.parent))
PACKAGES: Final = sorted({door.parent.name for door in SOURCE.glob("*/__init__.py")} - {"cli", "studio"})
_LINK: Final = re.compile(r"\]\((?P<path>[^)#:\s]+)(?P<anchor>#[^)\s]*)?\)")
_DOCTEST: Final = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)
_ROLE: Final = re.compile(r":(?:class|func|meth|mod|attr|data|exc|obj):`~?\.?(?:[\w.]+\.)?(\w+)`")


def exported(door: Path) -> dict[str, str]:
    """The names that a package exports, each with the module it comes from, in alphabetical order."""
    names = {
        alias.asname: f"{node.module}.{alias.name}"
        for part in ast.parse(door.read_text(encoding="utf-8")).body
        if isinstance(part, ast.If)
        for node in part.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname is not None
    }
    return dict(sorted(names.items(), key=lambda item: item[0].lower()))


def docstring(door: Path) -> str:
    """The docstring of a package as Markdown."""
    return plain(ast.get_docstring(ast.parse(door.read_text(encoding="utf-8"))) or "")


def plain(text: str) -> str:
    """A docstring as Markdown: examples in fences, without the roles and double colons of reStructuredText."""
    fenced = _DOCTEST.sub(lambda match: f"```pycon\n{match[0]}\n```", text)
    return _ROLE.sub(r"`\1`", fenced).replace("::\n", ":\n")


def reference() -> dict[str, str]:
    """The pages of the API reference: path and Markdown text."""
    top = exported(SOURCE / "__init__.py")
    pages = {"api/drycell.md": page("drycell", SOURCE / "__init__.py", list(top))}
    for package in PACKAGES:
        door = SOURCE / package / "__init__.py"
        names = [name for name in exported(door) if name not in top]
        pages[f"api/{package}.md"] = page(f"drycell.{package}", door, names)
    return pages


def page(package: str, door: Path, names: list[str]) -> str:
    """The page of one package."""
    module = importlib.import_module(package)
    entries = "\n\n".join(entry(f"{package}.{name}", getattr(module, name)) for name in names)
    return f"# {package}\n\n{docstring(door)}\n\n{entries}\n"


def entry(path: str, value: object) -> str:
    """The entry of one name: for a thing of a cell its docstring, its call and a table of its fields."""
    from drycell.base import Thing
    from drycell.base.schema import docs

    if not (isinstance(value, type) and issubclass(value, Thing) and dataclasses.is_dataclass(value)):
        return f"::: {path}"
    owners = {name: base for base in reversed(value.__mro__) for name in inspect.get_annotations(base)}
    # Own fields before inherited ones, those that can be given by position first.
    order = sorted(
        (field for field in dataclasses.fields(value) if field.init),
        key=lambda field: (field.kw_only, value.__mro__.index(owners[field.name])),
    )
    rows, call = [], []
    for field in order:
        if field.kw_only and "*" not in call:
            call.append("*")
        made = field.default_factory is not dataclasses.MISSING
        required = field.default is dataclasses.MISSING and not made
        call.append(field.name if required else f"{field.name}=…")
        default = "required" if required else f"`{field.default_factory() if made else field.default!r}`"
        cells = [f"`{field.name}`", plain(docs(owners[field.name]).get(field.name, "")), default]
        rows.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |".replace("\n", " "))
    head = "| Field | Meaning | Default (SI units) |\n|---|---|---|"
    table = "\n".join([head, *rows]) if rows else ""
    text = f"```python\n{value.__name__}({', '.join(call)})\n```\n\n{table}"
    return f"::: {path}\n    options:\n      members: false\n\n{text}"


def on_config(config: MkDocsConfig) -> None:
    """Fill in the parts of the navigation that follow from the tree."""
    for entry in config.nav or []:
        if isinstance(entry, dict) and "API reference" in entry:
            entry["API reference"] = [{"drycell": "api/drycell.md"}] + [
                {f"drycell.{package}": f"api/{package}.md"} for package in PACKAGES
            ]
        if isinstance(entry, dict) and "Inside drycell" in entry:
            decisions = sorted(path.name for path in (ROOT / "docs" / "decisions").glob("*.md"))
            entry["Inside drycell"] = ["map.md", {"Decisions": [f"decisions/{name}" for name in decisions]}]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the API reference, and the files outside docs/ that pages link to."""
    for path, text in reference().items():
        files.append(File.generated(config, path, content=text))
    for path in sorted({target for file in files.documentation_pages() for target in outside(file)}):
        files.append(File.generated(config, f"files/{path}.txt", content=(ROOT / path).read_text(encoding="utf-8")))
    return files


def outside(file: File) -> list[str]:
    """The files outside docs/ that a page links to, relative to the project."""
    if file.abs_src_path is None:
        return []
    return [found for match in _LINK.finditer(file.content_string) if (found := target(match["path"], file.src_uri))]


def target(link: str, page: str) -> str | None:
    """The file of the project that a link of a page leads to, or None if it stays within docs/."""
    path = posixpath.normpath(posixpath.join("docs", posixpath.dirname(page), link))
    return path if not path.startswith(("docs", "..", "/")) and (ROOT / path).is_file() else None


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to files outside docs/ at their copies, and show the names of files above their text."""
    here = posixpath.dirname(page.file.src_uri) or "."

    def moved(match: re.Match[str]) -> str:
        found = target(match["path"], page.file.src_uri)
        return match[0] if found is None else f"]({posixpath.relpath(f'files/{found}.txt', here)})"

    titled = re.sub(r"^```(\w+) file=(\S+)$", r'```\1 title="\2"', markdown, flags=re.MULTILINE)
    return _LINK.sub(moved, titled)


class PlainDocstrings(Extension):
    """Reads docstrings as Markdown: a griffe extension."""

    def on_object(self, *, obj: Object, **_: object) -> None:
        """Rewrite the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = plain(obj.docstring.value)
