"""What to do, in a sentence that a product owner understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hush.output.numbers import shown

if TYPE_CHECKING:
    from hush.forecasting.forecast_result import Course, Forecast

__all__ = ["SURE", "advise"]

SURE = 0.8  # the chance from which on the best arm counts as found


def advise(ahead: Forecast) -> str:
    """Return the recommendation: the policy that loses least for the promise asked for."""
    if ahead.split == 0.0:
        return "These arms are all alike: nothing can be lost, and there is nothing to find."
    course = least_lost(ahead, ahead.person_epsilon)
    if course.found[-1].mean >= SURE:
        return f"Run {course.policy} at person_epsilon {course.person_epsilon:g}: " + _good(
            ahead, course
        )
    if not any(each.found[-1].mean >= SURE for each in ahead.without):
        return (
            f"Too little traffic to tell these arms apart in {ahead.days} days, with or without "
            f"privacy: {_bad(ahead, course)}."
        )
    return f"Too little traffic for this promise: {_bad(ahead, course)}; {_instead(ahead)}."


def least_lost(ahead: Forecast, person_epsilon: float) -> Course:
    """Return the course that loses least for a promise."""
    mine = [each for each in ahead.courses if each.person_epsilon == person_epsilon]
    return min(mine, key=lambda each: each.lost.mean)


def _good(ahead: Forecast, course: Course) -> str:
    day, chance = next(
        (day, each.mean)
        for day, each in zip(ahead.looked, course.found, strict=True)
        if each.mean >= SURE
    )
    price = course.lost.mean - ahead.without_privacy(course.policy).lost.mean
    paid = f"{_count(price)} of them the price of privacy" if price > 0.0 else "none for privacy"
    return (
        f"expect the first useful release {_when(course)}, the best arm in the lead with a "
        f"chance of {chance:.0%} by day {day}, and in {ahead.days} days about "
        f"{_count(course.lost.mean)} of {_count(ahead.best_possible)} successes lost to what the "
        f"best arm alone would bring ({paid}), where a fixed split loses {_count(ahead.split)}."
    )


def _count(successes: float) -> str:
    return f"{successes:,.0f}" if successes >= 10.0 else f"{successes:.2g}"


def _when(course: Course) -> str:
    return "at no time in sight" if course.useful is None else f"within {shown(course.useful)} days"


def _bad(ahead: Forecast, course: Course) -> str:
    return (
        f"at person_epsilon {course.person_epsilon:g} even {course.policy} has the best arm in the "
        f"lead after {ahead.days} days with a chance of only {course.found[-1].mean:.0%}, and "
        f"loses about {_count(course.lost.mean)} of {_count(ahead.best_possible)} successes, where "
        f"a fixed split loses {_count(ahead.split)}"
    )


def _instead(ahead: Forecast) -> str:
    able = [each for each in ahead.courses if each.found[-1].mean >= SURE]
    if not able:
        return "no promise that was looked at is weak enough, so find more traffic or more days"
    weakest = min(able, key=lambda each: (each.person_epsilon, each.lost.mean))
    return (
        f"{weakest.policy} at person_epsilon {weakest.person_epsilon:g} would have a chance of "
        f"{weakest.found[-1].mean:.0%} and lose about {_count(weakest.lost.mean)}"
    )
