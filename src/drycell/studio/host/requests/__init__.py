"""What can be asked of a stage, a module for each concern; all of them are loaded with it."""
