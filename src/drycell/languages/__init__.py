"""Languages of robots: a small kit for front ends, and one package a language that runs its programs in a cell."""
