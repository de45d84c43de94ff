"""Settings for all tests: property tests draw the same examples every time, and none is timed by the wall clock.

What fails is shrunk but not explained: for that, Hypothesis traces, and traced greenlets can hang in Python 3.11.
"""

from hypothesis import Phase, settings

settings.register_profile(
    "drycell",
    derandomize=True,
    deadline=None,
    print_blob=True,
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.load_profile("drycell")
