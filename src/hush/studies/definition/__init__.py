"""What a study is, and how it is read from a TOML file."""

from hush.studies.definition.published import Published
from hush.studies.definition.study import Claim, Curve, Place, Plot, Study

__all__ = ["Claim", "Curve", "Place", "Plot", "Published", "Study"]
