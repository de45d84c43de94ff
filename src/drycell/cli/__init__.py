"""The command line: ``drycell run``, ``show``, ``replay``, ``picture``, ``bench``. Nothing imports this package."""
