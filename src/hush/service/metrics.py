"""Metrics for Prometheus: a function of the public store and of how the last tick went.

They are made anew from what is public whenever they are asked for, in a registry of their own, so
no counter of rewards, latency or memory can get among them, and every worker says the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from hush.service.core import Core
from hush.version import __version__

__all__ = ["metrics"]


def metrics(core: Core) -> bytes:
    """Return the metrics as Prometheus reads them."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Public(core))
    return generate_latest(registry)


class _Public(Collector):
    def __init__(self, core: Core) -> None:
        self._core = core

    def collect(self) -> Iterator[Metric]:
        """Yield every metric."""
        build = GaugeMetricFamily("hush_build_info", "The version.", labels=["version"])
        build.add_metric([__version__], 1)
        yield build
        yield from self._experiments()
        yield from self._populations()
        yield from self._standing()

    def _experiments(self) -> Iterator[Metric]:
        state = GaugeMetricFamily(
            "hush_experiment_state", "1 for its state.", labels=["experiment", "state"]
        )
        served = CounterMetricFamily(
            "hush_decisions",
            "Decisions as of the last settlement.",
            labels=["experiment", "segment", "arm"],
        )
        learnt = CounterMetricFamily(
            "hush_decisions_learnt",
            "Those of them that are learnt from: within the bound of their person.",
            labels=["experiment", "segment", "arm"],
        )
        releases = CounterMetricFamily("hush_releases", "Releases.", labels=["experiment"])
        for each in self._core.records.overview():
            state.add_metric([each.name, each.state], 1)
            releases.add_metric([each.name], each.releases)
            for segment, arm, made, known in each.tallies:
                served.add_metric([each.name, segment, arm], made)
                learnt.add_metric([each.name, segment, arm], known)
        yield from (state, served, learnt, releases)

    def _populations(self) -> Iterator[Metric]:
        spent = GaugeMetricFamily(
            "hush_population_epsilon", "What its people were promised.", labels=["population"]
        )
        limit = GaugeMetricFamily(
            "hush_population_limit", "The most they may be promised.", labels=["population"]
        )
        for name, most, total in self._core.records.populations():
            spent.add_metric([name], total)
            if most is not None:
                limit.add_metric([name], most)
        yield from (spent, limit)

    def _standing(self) -> Iterator[Metric]:
        standing = self._core.standing
        for name, text, value in (
            ("hush_settlement_ok", "Whether the last tick settled.", standing.ok),
            ("hush_canary_ok", "Whether a made-up reward arrives.", standing.canary),
            ("hush_clock_held", "Whether settlement waits for a clock.", bool(standing.held)),
            ("hush_settled_at_seconds", "The last tick that settled.", standing.settled // 1_000),
        ):
            yield GaugeMetricFamily(name, text, value=float(value))
