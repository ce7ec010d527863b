"""What the service tells Prometheus."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

_SECONDS = (0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 900, 3600)


class Metrics:
    """The service's own registry, so that two services in one process do not meet."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.evaluations = Counter(
            "qualityscore_evaluations", "Evaluations that ended, by status", ["status"], registry=self.registry
        )
        self.refusals = Counter(
            "qualityscore_refusals", "Requests refused, by HTTP status", ["status"], registry=self.registry
        )
        self.evaluation_s = Histogram(
            "qualityscore_evaluation_seconds", "Seconds per evaluation", buckets=_SECONDS, registry=self.registry
        )

    def gauge(self, name: str, meaning: str, read: Callable[[], float]) -> None:
        """A number that is read when Prometheus asks."""
        Gauge(name, meaning, registry=self.registry).set_function(read)

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
