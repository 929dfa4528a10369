"""Metrics of HTTP requests and rate limits, which Prometheus reads at `/metrics`."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

requests = Counter("augury_http_requests", "Requests answered.", ["route", "method", "status"])
duration = Histogram(
    "augury_http_request_seconds",
    "Seconds from the request's headers to the end of its answer.",
    ["route"],
    buckets=(0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30),
)
in_flight = Gauge("augury_http_requests_in_flight", "Requests being answered.")
refused = Counter("augury_requests_refused", "Requests refused by a limit.", ["policy", "reason"])
limiter_failures = Counter(
    "augury_rate_limit_failures",
    "Requests let through without a rate limit. PostgreSQL or Redis, which counts the requests, "
    "had failed.",
    ["policy"],
)
