"""Days, sessions and horizons: daylight saving, leap days, holidays, year ends."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from augury.errors import InvalidInput
from augury.rvol import calendars
from augury.rvol.calendars import calendar, date_of, day_number, utc_time

DAY = 86_400


def test_utc_days_know_no_daylight_saving_and_no_leap_seconds() -> None:
    on = calendar("24/7")
    for day in (date(2024, 2, 29), date(2024, 12, 31), date(2026, 3, 29), date(2026, 10, 25)):
        hours = on.hours(day_number(day))
        assert hours is not None
        assert hours[1] - hours[0] == DAY
        assert utc_time(hours[0]).date() == day
        steps, end = on.window(day_number(day), 1)
        assert (steps, utc_time(end).date()) == (1, day + timedelta(days=2))
        assert on.day_at(hours[1]) == day_number(day)
        assert on.day_at(hours[1] - 1) == day_number(day) - 1
        assert date_of(day_number(day)) == day


def test_sessions_close_by_the_clock_of_their_exchange() -> None:
    on = calendar("XNYS")
    closes = {
        day: utc_time((on.hours(day_number(day)) or (0, 0))[1]).hour
        for day in (date(2026, 3, 6), date(2026, 3, 9), date(2026, 10, 30), date(2026, 11, 2))
    }
    assert list(closes.values()) == [21, 20, 20, 21]
    assert on.hours(day_number(date(2026, 7, 3))) is None  # Independence Day, observed
    assert on.is_early(day_number(date(2026, 11, 27)))
    assert not on.is_early(day_number(date(2026, 11, 25)))


@pytest.mark.parametrize(
    ("day", "horizon", "steps", "last"),
    [
        (date(2026, 11, 20), 1, 1, date(2026, 11, 23)),
        (date(2026, 11, 20), 5, 5, date(2026, 11, 30)),  # Thanksgiving is skipped
        (date(2026, 11, 20), 7, 4, date(2026, 11, 27)),  # and makes a week of four
        (date(2025, 12, 24), 7, 4, date(2025, 12, 31)),
        (date(2025, 12, 31), 1, 1, date(2026, 1, 2)),
        (date(2024, 2, 28), 2, 2, date(2024, 3, 1)),
    ],
)
def test_horizons_of_sessions(day: date, horizon: int, steps: int, last: date) -> None:
    found, end = calendar("XNYS").window(day_number(day), horizon)
    assert (found, utc_time(end).date()) == (steps, last)


def test_weeks_and_months_count_calendar_days_and_others_sessions() -> None:
    assert [h for h in range(1, 61) if calendars.by_calendar(h)] == [
        7, 14, 21, 28, 30, 35, 42, 49, 56, 60,
    ]  # fmt: skip


def test_an_unknown_exchange_is_refused_in_plain_words() -> None:
    with pytest.raises(InvalidInput, match="XNYS"):
        calendar("NOWHERE")
    assert calendar("XTKS").hours(day_number(date(2026, 11, 20))) is not None
