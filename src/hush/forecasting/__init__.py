"""What privacy will cost a live experiment, before it is started.

Needs the extra ``live``: a forecast is made of the terms that an experiment would have.
"""

from hush.forecasting.estimates import Estimate
from hush.forecasting.forecast_result import Course, Forecast
from hush.forecasting.foretelling import forecast

__all__ = ["Course", "Estimate", "Forecast", "forecast"]
