"""Data files: YAML read as plain data that knows its lines, and checked against types; nothing in it is executed.

What may stand in a file is said by dataclasses with the types of :mod:`drycell.fields`.
May use fields, units and errors.
"""

from drycell.datafile.schema import element, field_types, known_fields, marks, written_name
from drycell.datafile.text import read_text
from drycell.datafile.tree import FieldPath, Key, Node, read_tree
from drycell.datafile.validation import field_name, validated

__all__ = [
    "FieldPath",
    "Key",
    "Node",
    "element",
    "field_name",
    "field_types",
    "known_fields",
    "marks",
    "read_text",
    "read_tree",
    "validated",
    "written_name",
]
