"""Compiled loops: one file a family, with an engine of the same name on the side that people call.

A loop takes named records instead of long lists of arguments, and draws from the same generators,
in the same order, as a learner with seeded noise does: the same seed plays the same arms in both.
"""
