"""Settings for all tests: property tests draw the same examples every time, and none is timed by the wall clock."""

from hypothesis import settings

settings.register_profile("drycell", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("drycell")
