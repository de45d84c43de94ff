"""Benchmarks of drycell against the libraries it uses and their alternatives. They are not part of the wheel."""
