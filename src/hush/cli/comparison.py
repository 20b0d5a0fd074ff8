"""The page that compares all policies: what each promises, and what each measures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

import numpy as np

from hush.cli.pages import markdown_table
from hush.environments import INSTANCES
from hush.output.progress import progress_bar
from hush.policies import DPIMED, DPKLUCB, REGISTERED, Policy
from hush.policies.listing import anytime
from hush.simulation import simulate
from hush.simulation.engines import why_no_leap
from hush.theory.report import bound_line

__all__ = ["comparison_page", "promises"]

EPSILONS = (0.25, 0.5, 1.0)
TAIL_ALPHAS = (1.1, 2.0)
TAIL_FACTOR = 10


def comparison_page(*, horizon: int, runs: int, slow_runs: int, tail_runs: int, seed: int) -> str:
    """Return the page as Markdown: promises, measured regret, and the tails of two policies."""
    work = [(cls, setting) for cls in REGISTERED for setting in INSTANCES]
    tails = [(cls, alpha) for cls in (DPKLUCB, DPIMED) for alpha in TAIL_ALPHAS]
    with progress_bar("comparing", len(work) + len(tails), None) as advance:
        measured = _measured(work, horizon, runs, slow_runs, seed, advance)
        tail = _tails(tails, horizon, tail_runs, seed, advance)
    command = (
        f"hush policies --page docs/comparison.md --horizon {horizon:g} --runs {runs} "
        f"--slow-runs {slow_runs} --tail-runs {tail_runs} --seed {seed}"
    )
    return _PAGE.format(
        command=command,
        promises=promises(),
        horizon=f"{horizon:,}",
        runs=f"{runs:,}",
        slow_runs=f"{slow_runs:,}",
        bandit=measured["bandit"],
        full=measured["full"],
        factor=TAIL_FACTOR,
        tail_runs=f"{tail_runs:,}",
        tail=tail,
    )


def promises() -> str:
    """Return the table of what each policy promises: guarantee, horizon, noise, regret bound."""
    rows = [
        (
            f"[`{cls.__name__}`]({cls.reference})",
            cls.feedback,
            _guarantee(cls),
            anytime(cls),
            cls.noise_law,
            bound_line(_make(cls, 1.0)),
        )
        for cls in REGISTERED
    ]
    return markdown_table(
        ("policy", "feedback", "guarantee", "anytime", "noise", "regret bound"), rows
    )


def _make(cls: type[Policy], epsilon: float) -> Policy:
    return cls.from_parameters({"epsilon": epsilon} if _private(cls) else {})


def _private(cls: type[Policy]) -> bool:
    return any(each.name == "epsilon" for each in fields(cls))


def _guarantee(cls: type[Policy]) -> str:
    guarantee = _make(cls, 1.0).guarantee
    return f"eps, {guarantee.neighbours}" if guarantee.private else "infinity: not private"


def _measured(
    work: Sequence[tuple[type[Policy], str]],
    horizon: int,
    runs: int,
    slow_runs: int,
    seed: int,
    advance: Callable[[int], None],
) -> dict[str, str]:
    rows: dict[str, dict[str, list[str]]] = {"bandit": {}, "full": {}}
    for cls, setting in work:
        policies = [_make(cls, epsilon) for epsilon in EPSILONS[: 3 if _private(cls) else 1]]
        leaps = why_no_leap(policies[0].with_horizon(horizon)) is None
        result = simulate(
            policies,
            INSTANCES[setting](),
            horizon=horizon,
            runs=runs if leaps else slow_runs,
            seed=seed,
            checkpoints=[horizon],
            progress=False,
        )
        table = result.summary()
        cells = [_interval(row["mean"], row["high"]) for _, row in table.iterrows()]
        row = rows[cls.feedback].setdefault(cls.__name__, [])
        row += cells if _private(cls) else [f"{cells[0]} (no eps)", "", ""]
        if setting == list(INSTANCES)[-1]:
            row.append("leap" if leaps else "rounds")
        advance(1)
    heads = [f"{setting}, eps {epsilon:g}" for setting in INSTANCES for epsilon in EPSILONS]
    return {
        feedback: markdown_table(
            ("policy", *heads, "engine"),
            [(f"`{name}`", *cells) for name, cells in found.items()],
        )
        for feedback, found in rows.items()
    }


def _interval(mean: float, high: float) -> str:
    digits = 1 if mean < 100 else 0
    return f"{mean:,.{digits}f} ± {high - mean:,.{digits}f}"


def _tails(
    work: Sequence[tuple[type[DPKLUCB | DPIMED], float]],
    horizon: int,
    runs: int,
    seed: int,
    advance: Callable[[int], None],
) -> str:
    rows = []
    for cls, alpha in work:
        cells = [f"`{cls.__name__}`", f"{alpha:g}"]
        for setting in INSTANCES:
            result = simulate(
                [cls(epsilon, alpha=alpha) for epsilon in EPSILONS],
                INSTANCES[setting](),
                horizon=horizon,
                runs=runs,
                seed=seed,
                checkpoints=[horizon],
                progress=False,
            )
            for values in result.regret[:, :, -1]:
                median = float(np.median(values))
                share = float((values > TAIL_FACTOR * median).mean())
                worst = f"median {median:,.0f}, worst {values.max():,.0f}"
                cells.append(f"{100 * share:.2f} % ({worst})")
        rows.append(tuple(cells))
        advance(1)
    heads = [f"{setting}, eps {epsilon:g}" for setting in INSTANCES for epsilon in EPSILONS]
    return markdown_table(("policy", "alpha", *heads), rows)


_PAGE = """# All policies compared

This page is written by

```console
$ {command}
```

## What each promises

K arms (or actions) with means m, the best of them m\\*, gaps D = m\\* - m, the smallest of them
Dmin, horizon T, privacy loss eps. Sums run over the arms with a gap. A bound is quoted as its
source states it, with constants where it has them; conditions are in the policy's docstring.
Under `replace`, neighbours differ in one round's reward, or reward vector. *Anytime* policies need
not know T.

{promises}

## What each measures

Mean regret with its 95 % interval after {horizon} rounds on the paper's two settings: S1 has means
.75, .625, .5, .375, .25, and S2 has .5, .4, .4, .4, .4. Policies that leap have {runs} runs, those
that learn every round {slow_runs}. All parameters but epsilon are the defaults.

### Bandit feedback

{bandit}

### Full information

Action 0 is the best one in both settings, and some policies begin with it; that is worth one
round.

{full}

## Warning: DPKLUCB and DPIMED have rare, very bad runs

Their regret bound is the best published, and so is their median regret. But no bonus covers the
noise of their first, short batches. An unlucky draw can make the best arm look so poor that it is
not played again for a very long time, and the run's regret is then nearly linear. The table shows
the share of runs with more than {factor} times the median regret among {tail_runs} runs each. With
alpha near 1, where the bound is best, noise adds up over many short batches and such runs are
common. With alpha = 2, the default, they are rarer, but there. Look at quantiles, not only at
means, before deploying either.

{tail}
"""
