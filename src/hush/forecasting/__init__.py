"""What privacy will cost a live experiment, before it is started.

Needs the extras ``lab`` and ``live``: it simulates an experiment by the terms that it would have.
"""

from hush.extras import require as _require

_require("hush.forecast")

from hush.forecasting.estimates import Estimate
from hush.forecasting.forecast_result import Course, Forecast
from hush.forecasting.foretelling import forecast

__all__ = ["Course", "Estimate", "Forecast", "forecast"]
