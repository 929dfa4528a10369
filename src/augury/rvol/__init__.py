"""Realized volatility: forecasts, actuals and a scorecard per asset and horizon.

Terms of this package:

- A row is one day of an asset with usable measures: row n is the asset's n-th such day.
- The origin of a forecast is the day at whose close it is made. Its target window is the days after
  the origin, up to the horizon. (The origin of data is something else: where they come from.)
- An actual is the variance that was realized over a target window.
- A class is all assets of the same family (e.g. `crypto`) and calendar: models may learn from all
  assets of a class. A set is the forecasts of one class for one day, published together.
- The members are the regressions whose mean is the model `blend`; a challenger is any other
  published model. The champion is the model that is served by default.
- A feature family is a group of regressors, e.g. those of jumps.
"""
