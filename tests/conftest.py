"""Settings for all tests: property tests draw the same examples every time, and none is timed by the wall clock.

What fails is shrunk but not explained. For that, Hypothesis traces; a run was seen to hang in a frame of Hypothesis,
and whether tracing beside greenlets did it is not known.
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
