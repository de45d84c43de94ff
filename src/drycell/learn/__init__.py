"""Pre-emptive learning: controllers of mobile robots trained in virtual worlds and carried over to other ones.

Beside the languages; may use all that a cell is made of.
"""
