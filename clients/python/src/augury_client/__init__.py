"""Python client of Augury: search, forecasts and volatility of prediction markets.

from augury_client import Augury

augury = Augury()  # or Augury("http://host:8000", api_key="..."), or AUGURY_URL, AUGURY_API_KEY
print(augury.forecast("Will the Fed cut rates in December?").probability)
"""

from augury_client.calls import When
from augury_client.client import AsyncAugury, Augury
from augury_client.errors import (
    ApiError,
    AuguryError,
    Conflict,
    ConnectionFailed,
    Forbidden,
    InvalidInput,
    InvalidValue,
    MissingPackage,
    NotFound,
    RateLimited,
    ServerFailed,
    StreamCut,
    TimedOut,
    Unauthenticated,
    Unavailable,
    UnexpectedAnswer,
    WorkFailed,
)
from augury_client.events import Event
from augury_client.runs import AsyncRun, Run
from augury_client.transport import AsyncPages, Pages

__version__ = "0.1.0"
__all__ = [
    "ApiError",
    "AsyncAugury",
    "AsyncPages",
    "AsyncRun",
    "Augury",
    "AuguryError",
    "Conflict",
    "ConnectionFailed",
    "Event",
    "Forbidden",
    "InvalidInput",
    "InvalidValue",
    "MissingPackage",
    "NotFound",
    "Pages",
    "RateLimited",
    "Run",
    "ServerFailed",
    "StreamCut",
    "TimedOut",
    "Unauthenticated",
    "Unavailable",
    "UnexpectedAnswer",
    "When",
    "WorkFailed",
]
