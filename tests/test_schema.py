"""R1: whatever the OpenAPI document allows or forbids, the service answers as it declares."""

from __future__ import annotations

import itertools
import json
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import schemathesis
from schemathesis import checks as builtin
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation import meta
from tests.pace import PATIENCE
from tests.processes import augury, serving

from augury.app import create_app
from augury.settings import Settings

CASES = int(os.environ.get("AUGURY_TEST_CASES", "4"))
"""Generated requests per operation, beside those that cover its schema; 300 before a release."""
COVERED = 1 if CASES >= 100 else 5
"""Of the requests that cover the schemas, some 48 per operation, one in this many is sent."""

_covering = itertools.count()

UNLIMITED = {
    f"AUGURY_{name}_RATE": "1000000/s"
    for name in ("ANONYMOUS_SEARCH", "SEARCH", "FORECAST", "RVOL")
} | {"AUGURY_ANONYMOUS_SEARCH_BURST": "1000000"}


@pytest.fixture(scope="session")  # workers that steal a few of these tests keep their service
def service() -> Iterator[tuple[str, str]]:
    """Address of a running service on the sample, and a key that may do everything."""
    with tempfile.TemporaryDirectory(prefix="augury-r1-") as folder:
        scopes = ("search:read", "forecast:read", "rvol:read", "watch:write")
        flags = [part for scope in scopes for part in ("--scope", scope)]
        data = Path(folder)
        with serving(data, AUGURY_WORK="here", **UNLIMITED) as (url, _):
            made = augury(data, "keys", "create", "--account", "r1", *flags, "--json")
            assert made.returncode == 0, made.stderr
            approved = augury(data, "accounts", "approve-rvol", "r1")
            assert approved.returncode == 0, approved.stderr
            yield url, json.loads(made.stdout)["key"]


schema = schemathesis.openapi.from_dict(create_app(Settings()).openapi())


@schema.parametrize()
@hypothesis.settings(
    max_examples=CASES,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.filter_too_much],
)
def test_every_answer_is_declared(case: schemathesis.Case, service: tuple[str, str]) -> None:
    covers = case.meta is not None and case.meta.phase.name is meta.TestPhase.COVERAGE
    if covers and next(_covering) % COVERED:
        return
    url, key = service
    # Ten seconds, the default, are too few where two cores run all tests at once.
    response = case.call(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE)
    excluded: list[Any] = [
        builtin.CHECKS.get_one("not_a_server_error"),  # stricter below
        builtin.CHECKS.get_one("ignored_auth"),  # tests/http has the whole matrix
        # Tiers, cursors and windows refuse what a schema can't: 422, declared.
        builtin.CHECKS.get_one("positive_data_acceptance"),
    ]
    if response.status_code in (413, 431):
        # Too large is refused before anything else is looked at.
        excluded.append(builtin.CHECKS.get_one("negative_data_rejection"))
    if response.status_code == 431:
        # A URL beyond the limit of headers never gets to an operation, which could declare it.
        excluded.append(builtin.CHECKS.get_one("status_code_conformance"))
    if case.meta is not None and ParameterLocation.HEADER in case.meta.components:
        header = case.meta.components[ParameterLocation.HEADER]
        if header.mode.is_negative:
            # What was broken is the Authorization that the good key replaced.
            excluded.append(builtin.CHECKS.get_one("negative_data_rejection"))
    case.validate_response(response, excluded_checks=excluded)
    assert response.status_code < 500, response.text
    assert response.headers["x-request-id"]
