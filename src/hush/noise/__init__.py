"""Where noise is drawn.

Three sources, kept apart by type. :class:`SecureNoise` is for deployment and takes no seed.
:class:`SeededNoise` is for simulation and demands one. :class:`ScriptedNoise` replays values.
A source is handed a raw sum and hands back a noisy one; only :mod:`hush.mechanisms` calls it.

Besides noise, a source owns two plain generators that privacy does not rest on: ``selection``
for the draws of Thompson-type rules (post-processing of releases) and ``coins`` for the coin-toss
reduction of bounded rewards (any outcome moves a sum by at most one). They are apart from the
noise, so that replaying releases on other rewards meets the same selection draws.
"""

from hush.noise.base import NoiseSource, argmax_scale
from hush.noise.door import NoiseDoor
from hush.noise.laws import ArgmaxLaw
from hush.noise.scripted import ScriptedNoise
from hush.noise.secure import SecureNoise, epsilon_within
from hush.noise.seeded import SeededNoise
from hush.noise.streams import children

__all__ = [
    "ArgmaxLaw",
    "NoiseDoor",
    "NoiseSource",
    "ScriptedNoise",
    "SecureNoise",
    "SeededNoise",
    "argmax_scale",
    "children",
    "epsilon_within",
]
