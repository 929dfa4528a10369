"""Forecasts: a question in plain words, a probability and what it rests on."""
