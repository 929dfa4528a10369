"""Market ids as UUIDs: what of an answer changes, and what stays."""

from __future__ import annotations

import json
from uuid import NAMESPACE_URL, UUID, uuid5

import pytest

from augury.http.market_ids import in_csv, in_json

ONE = "polymarket:512345"
OTHER = "kalshi:KXFED-27JAN-T3.50"
ODD = 'polymarket:x/y "z"?#%2F&é\\'


def uuid(own: str) -> str:
    return str(uuid5(NAMESPACE_URL, own))


def test_ids_in_members_and_arrays_become_uuids() -> None:
    body = {"id": ONE, "twin_ids": [OTHER, ODD], "edges": [{"source": ONE, "target": "rates"}]}
    found = json.loads(in_json(json.dumps(body).encode()))
    assert found == {
        "id": uuid(ONE),
        "twin_ids": [uuid(OTHER), uuid(ODD)],
        "edges": [{"source": uuid(ONE), "target": "rates"}],
    }
    UUID(found["id"])


@pytest.mark.parametrize(
    "body",
    [
        {"question": ONE, "query": OTHER, "ref": OTHER},  # what the caller wrote
        {"prices": {ONE: {"status": "active"}}},  # by the name it was asked by
        {"reasoning": f"The market {ONE} asks it.", "platform_id": "512345"},
        {"reasoning": f'It said "{ONE}", twice: "{OTHER}".'},
        {"url": "https://polymarket.com/event/x", "kind": "polymarket"},
    ],
)
def test_echoes_names_of_members_and_texts_stay(body: dict[str, object]) -> None:
    assert json.loads(in_json(json.dumps(body).encode())) == body


def test_events_of_a_stream() -> None:
    event = b'id: 3\nevent: evidence\ndata: {"event_type":"evidence","data":{"id":"kalshi:A"}}\n\n'
    assert in_json(event) == event.replace(b"kalshi:A", uuid("kalshi:A").encode())


def test_cells_of_csv() -> None:
    body = f"id,question,platform_id\r\n{ONE},Will {OTHER} fall?,512345\r\n{OTHER},b,x\r\n"
    assert in_csv(body.encode()).decode() == body.replace(ONE, uuid(ONE)).replace(
        f"{OTHER},b", f"{uuid(OTHER)},b"
    )
