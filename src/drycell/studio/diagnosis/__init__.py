"""Diagnosis: what is wrong with a text that is being written, in every language of a cell, before it is saved.

Nothing is written and nothing of the text is executed. May use the languages and the cell; nothing of the page.
"""

from drycell.studio.diagnosis.finding import Diagnosis, Finding
from drycell.studio.diagnosis.texts import diagnose

__all__ = ["Diagnosis", "Finding", "diagnose"]
