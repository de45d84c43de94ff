"""The command line, a module a command: ``drycell --help`` lists them. Nothing imports this package."""
