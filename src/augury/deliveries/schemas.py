"""Request and response schemas of deliveries: endpoints that alerts are sent to, and messages."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field, model_validator

from augury.deliveries.service import NewEndpoint, Type
from augury.deliveries.store import Endpoint, Logged
from augury.http.examples import request_example
from augury.http.fields import BodyMoment

_ENDPOINT: dict[str, Any] = {
    "id": "whd_019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6",
    "type": "webhook",
    "host": "hooks.example.org",
    "enabled": True,
    "off_reason": None,
    "failing_since": None,
    "delivered_at": "2026-11-21T09:30:04Z",
    "created_at": "2026-11-20T08:00:00Z",
}
_SECRET = "whsec_plJ3nmyCDGBKInavdOK15jsl3jjI9bBx0ZzLr6zPmZQ="  # noqa: S105  (an example)


class DeliveryRequest(BaseModel):
    """A delivery to add to a watchlist: an endpoint to send its alerts to."""

    model_config = request_example(type="webhook", url="https://hooks.example.org/augury")

    type: Type = Field(
        description="webhook: signed POST requests, as specified by Standard Webhooks. notify: "
        "messages through a notification service (by Apprise) that the operator has enabled."
    )
    url: str = Field(
        min_length=1,
        max_length=2048,
        strict=True,
        description="Address of the endpoint. The API never returns it.",
    )
    secret: str | None = Field(
        None,
        max_length=200,
        strict=True,
        description="Signing secret: whsec_ followed by 24 to 64 random bytes as base64. "
        "Default: a new one is generated. Only for webhooks.",
    )

    def new(self) -> NewEndpoint:
        """The requested endpoint as a `NewEndpoint`, which the service takes."""
        return NewEndpoint(self.type, self.url, self.secret)


class DeliveryChange(BaseModel):
    """Changes to a delivery (an endpoint that alerts are sent to). Fields that are left out keep
    their values."""

    model_config = request_example(enabled=True)

    url: str | None = Field(
        None,
        min_length=1,
        max_length=2048,
        strict=True,
        description="New address of the endpoint. The API never returns it.",
    )
    enabled: bool | None = Field(
        None,
        strict=True,
        description="false disables the delivery and drops the messages that wait to be sent; "
        "true enables it again.",
    )
    rotate_secret: bool = Field(
        False, strict=True, description="Generate a new signing secret and use it from now on."
    )


class Delivery(BaseModel):
    """An endpoint that a watchlist's alerts are sent to, and whether sending to it succeeds."""

    model_config = request_example(**_ENDPOINT)

    id: str
    type: Type = Field(
        description="webhook: signed POST requests. notify: messages through a notification "
        "service."
    )
    host: str = Field(
        description="The only part of the address that is shown: the host of a webhook, or the "
        "scheme of a notification service."
    )
    enabled: bool
    off_reason: str | None = Field(description="Why the delivery is disabled. Null: it is enabled.")
    failing_since: datetime | None = Field(
        description="Time since which every attempt to send has failed. Null: the last one "
        "succeeded, or there was none since the delivery was created or enabled."
    )
    delivered_at: datetime | None = Field(
        description="When an attempt to send last succeeded, to the minute. Null: none has."
    )
    created_at: datetime


class DeliveryMade(Delivery):
    """A delivery (an endpoint that alerts are sent to) with its signing secret, which is shown only
    in this answer."""

    model_config = request_example(**_ENDPOINT, secret=_SECRET)

    secret: str | None = Field(
        description="Secret that the messages are signed with. It is shown only when it is created "
        "or renewed. Null: this request did neither, or the messages are not signed."
    )


class DeliveryList(BaseModel):
    """The deliveries of a watchlist: all endpoints that its alerts are sent to."""

    model_config = request_example(items=[_ENDPOINT], next_cursor=None)

    items: list[Delivery]
    next_cursor: str | None = Field(description="Always null: the list has one page.")


class Attempt(BaseModel):
    """One attempt to send a message to an endpoint."""

    attempt: int = Field(description="Number of the attempt, from 1.")
    at: datetime
    status_code: int | None = Field(
        description="HTTP status of the endpoint's answer. Null: it did not answer."
    )
    failure: str | None = Field(
        description="Why the attempt failed. Null: the endpoint accepted the message."
    )
    seconds: float = Field(description="Duration of the attempt, in seconds.")


_MESSAGE: dict[str, Any] = {
    "id": "msg_019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6",
    "alert_id": "alr_019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6",
    "type": "alert.fired",
    "status": "delivered",
    "created_at": "2026-11-21T09:30:03Z",
    "ended_at": "2026-11-21T09:30:04Z",
    "next_attempt_at": None,
    "replays": None,
    "attempts": [
        {
            "attempt": 1,
            "at": "2026-11-21T09:30:04Z",
            "status_code": 204,
            "failure": None,
            "seconds": 0.031,
        }
    ],
}


class Message(BaseModel):
    """A message to an endpoint (about an alert, or a test ping), with the attempts to send it.
    Every attempt to a webhook carries the message's `id` as the header `webhook-id`."""

    model_config = request_example(**_MESSAGE)

    id: str
    alert_id: str | None = Field(
        description="Id of the alert that the message is about. Null for pings and reminders."
    )
    type: str = Field(
        description="What the message is about: alert.fired, alert.reminder, alert.resolved or "
        "ping."
    )
    status: Literal["pending", "delivered", "failed"] = Field(
        description="pending: still to be sent. delivered: the endpoint accepted it. failed: "
        "given up."
    )
    created_at: datetime
    ended_at: datetime | None = Field(
        description="When the message was delivered or given up. Null: it is pending."
    )
    next_attempt_at: datetime | None = Field(
        description="When the next attempt is due. Null unless the message is pending."
    )
    replays: str | None = Field(
        description="Id of the earlier message that this one repeats. Null: it repeats no message."
    )
    attempts: list[Attempt]


class DeliveryLog(BaseModel):
    """One page of the messages to one endpoint, newest first."""

    model_config = request_example(items=[_MESSAGE], next_cursor=None)

    items: list[Message]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


class ReplayRequest(BaseModel):
    """Which messages to send to an endpoint again: one message by its id, or the alert messages
    whose delivery failed. A failed message is sent again if it was created at `since` or later and
    has not been sent again yet. If there are more than 1,000, the oldest 1,000 are sent."""

    model_config = request_example(since="2026-11-20T00:00:00Z")

    message_id: str | None = Field(
        None, max_length=100, strict=True, description="Id of the one message to send again."
    )
    since: BodyMoment | None = Field(
        None,
        description="Send again the alert messages whose delivery failed and that were created at "
        "or after this time (UTC if without a zone). Default: 30 days ago.",
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> ReplayRequest:
        if self.message_id is not None and self.since is not None:
            raise ValueError("give message_id or since, not both")
        return self


class Sent(BaseModel):
    """Ids of the messages that a ping or a replay queued. The endpoint's log shows whether they
    arrive."""

    model_config = request_example(message_ids=["msg_019f3a5c7e1b7d2aa0c4b1f2d3e4f5a6"])

    message_ids: list[str]


def delivery(endpoint: Endpoint) -> dict[str, Any]:
    """An endpoint that alerts are sent to, as the fields of the API record `Delivery`."""
    return {name: getattr(endpoint, name) for name in Delivery.model_fields}


def message(logged: Logged) -> dict[str, Any]:
    """A sent message with its attempts, as the fields of the API record `Message`."""
    return {
        "id": logged.id,
        "alert_id": logged.alert_id,
        "type": logged.kind,
        "status": logged.status,
        "created_at": logged.created_at,
        "ended_at": logged.ended_at,
        "next_attempt_at": logged.due_at if logged.status == "pending" else None,
        "replays": logged.replays,
        "attempts": logged.log,
    }
