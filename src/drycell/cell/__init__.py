"""The cell: composes bodies, robots, signals, programs and checks; cell files; run; result; recording."""
