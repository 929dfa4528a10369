"""Sources of price bars: exchanges, asked in turn through the library ccxt, and Binance's public
archive.

FeedFailed                502  no exchange gave the bars; the message says why each one failed
└── Offline                    no exchange could be reached, or the archive could not be reached
"""

from __future__ import annotations

import asyncio
import csv
import hashlib
import importlib
import io
import math
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import httpx2
import numpy as np
import structlog

from augury import __version__
from augury.errors import UpstreamFailed
from augury.net.cookies import no_cookies
from augury.rvol.bars import MIN_BARS_SHARE, consistent
from augury.rvol.panel import Floats, Ints

log = structlog.get_logger(__name__)

PAGE = {"binance": 1000, "bybit": 1000, "kraken": 720, "okx": 300, "coinbase": 300}
"""Number of price bars requested in one call, by exchange; 300 for exchanges that are not
listed."""
MOST_BYTES = 16 * 1024 * 1024
MOST_UNZIPPED = 128 * 1024 * 1024
MOST_PAGES = 2_000
_AGENT = f"augury/{__version__}"

Bars = tuple[Ints, Floats]


class FeedFailed(UpstreamFailed):
    """The price bars that were asked for could not be fetched: no exchange gave them, or Binance's
    public archive failed."""

    code = "feed_failed"


class Offline(FeedFailed):
    """No exchange could be reached; or whole months of bars were needed, and Binance's public
    archive could not be reached."""


class UnreadableBars(Exception):
    """An exchange's answer can't be read as price bars. The text says what the exchange did, and is
    shown after its name: "okx: sent rows that are not price bars"."""


class Exchanges:
    """Fetches price bars from the first exchange that has nearly all of them.

    Parameters
    ----------
    venues
        Exchanges by their names in ccxt, in the order in which they are asked.
    deadline
        Longest time, in seconds, that one answer may take from connecting to its last byte.
    url
        Address to ask in place of the venues' own: for tests and gateways.
    """

    def __init__(
        self, venues: Sequence[str], *, deadline: float = 10.0, url: str | None = None
    ) -> None:
        self._venues = tuple(venues)
        self._deadline = deadline
        self._url = url
        self._clients: dict[str, Any] = {}
        self._http = httpx2.AsyncClient(
            timeout=deadline,
            headers={"User-Agent": _AGENT},
            follow_redirects=False,
            cookies=no_cookies(),
        )
        self.down: dict[str, str] = {}
        """Exchange that could not be reached -> the reason. This object does not ask it again."""

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def bars(self, symbol: str, start: int, end: int, minutes: int) -> tuple[str, Bars]:
        """Fetch the bars of `minutes` minutes that open within [start, end), in seconds since 1970.
        Returns the name of one exchange, and the times and values of the bars that it has.

        The exchanges are asked one after the other, until one has at least `MIN_BARS_SHARE` of
        the bars. If none does, the exchange with the largest number of bars is used.

        Raises
        ------
        FeedFailed
            No exchange has any of these bars.
        """
        expected = (end - start) // (60 * minutes)
        best: tuple[str, Bars] | None = None
        reasons: list[str] = []
        for venue in self._venues:
            if venue in self.down:
                reasons.append(f"{venue}: {self.down[venue]}")
                continue
            try:
                found = await self._from(venue, symbol, start, end, minutes)
            except Exception as error:
                reason = self._reason(venue, error)
                reasons.append(f"{venue}: {reason}")
                log.warning("bars_fetch_failed", venue=venue, symbol=symbol, reason=reason)
                continue
            if len(found[0]) >= MIN_BARS_SHARE * expected:
                return venue, found
            reasons.append(f"{venue}: {len(found[0])} of {expected} bars")
            if len(found[0]) and (best is None or len(found[0]) > len(best[1][0])):
                best = venue, found
        if best is not None:
            return best
        kind = Offline if set(self._venues) <= set(self.down) else FeedFailed
        raise kind(f"No bars of {symbol}. " + "; ".join(reasons) + ".")

    def _reason(self, venue: str, error: Exception) -> str:
        """Why a fetch from the exchange `venue` failed, in plain words. An exchange that could not
        be reached is noted in `down`, so that this object does not ask it again."""
        import ccxt

        if isinstance(error, ccxt.BadSymbol):
            return "does not list it"
        if isinstance(error, ccxt.RateLimitExceeded | ccxt.DDoSProtection):
            self.down[venue] = "refused further requests (rate limit)"
        elif isinstance(error, ccxt.RequestTimeout | TimeoutError):
            self.down[venue] = "did not answer in time"
        elif isinstance(error, ccxt.NetworkError | httpx2.HTTPError):
            self.down[venue] = "can't be reached"
        elif isinstance(error, UnreadableBars):
            return str(error)
        elif isinstance(error, ImportError | AttributeError):
            return "is not an exchange known to ccxt"
        else:
            # ccxt does not catch the exceptions of its own parsers: they can be of any type.
            return f"sent an answer that can't be read ({type(error).__name__})"
        return self.down[venue]

    async def _from(self, venue: str, symbol: str, start: int, end: int, minutes: int) -> Bars:
        client = await self._client(venue)
        rows: dict[int, Sequence[float]] = {}
        since = start
        for _ in range(MOST_PAGES):
            async with asyncio.timeout(3 * self._deadline):  # ccxt may send other requests first
                page = await client.fetch_ohlcv(
                    symbol, f"{minutes}m", since * 1000, PAGE.get(venue, 300)
                )
            new = _checked(page, start, end, minutes)
            fresh = [stamp for stamp in new if stamp not in rows]
            rows |= new
            latest = max(new, default=0)
            if not fresh or latest + 60 * minutes >= end:
                break
            since = latest + 60 * minutes
        return _arrays(rows)

    async def _client(self, venue: str) -> Any:
        if venue not in self._clients:
            made = await asyncio.to_thread(self._make, venue)  # the import takes a second
            self._clients[venue] = made
        return self._clients[venue]

    def _make(self, venue: str) -> Any:
        kind = getattr(importlib.import_module(f"ccxt.async_support.{venue}"), venue)
        made = _bounded(kind, self._http, self._deadline)(
            {"enableRateLimit": True, "options": {"defaultType": "spot"}}
        )
        made.options["fetchMarkets"] = {"types": ["spot"]}
        made.options["fetchCurrencies"] = False
        made.has["fetchCurrencies"] = False
        if self._url is not None:
            made.urls["api"] = _with_base(made.urls["api"], self._url)
            made.enableRateLimit = False
        return made


def _bounded(kind: type, http: httpx2.AsyncClient, deadline: float) -> type:
    """A subclass of the ccxt exchange class `kind` that sends requests through `http`, limits the
    time and size of answers and refuses redirects."""
    import ccxt

    class Bounded(kind):  # type: ignore[misc, valid-type]
        async def fetch(
            self, url: str, method: str = "GET", headers: Any = None, body: Any = None
        ) -> Any:
            sent = self.prepare_request_headers(headers)
            try:
                async with (
                    asyncio.timeout(deadline),
                    http.stream(method, url, headers=sent, content=body) as answer,
                ):
                    raw = bytearray()
                    async for part in answer.aiter_bytes():
                        raw += part
                        if len(raw) > MOST_BYTES:
                            raise UnreadableBars("sent a page of bars that is too large")
            except (TimeoutError, httpx2.TimeoutException) as error:
                raise ccxt.RequestTimeout(f"{self.id} {method} {url}") from error
            except httpx2.HTTPError as error:
                raise ccxt.ExchangeNotAvailable(f"{self.id} {method} {url}") from error
            text = raw.decode("utf-8", "replace")
            parsed = self.parse_json(text)
            code, phrase = answer.status_code, answer.reason_phrase
            if 300 <= code < 400:
                raise UnreadableBars("sent a redirect")
            self.handle_errors(
                code, phrase, url, method, dict(answer.headers), text, parsed, sent, body
            )
            self.handle_http_status_code(code, phrase, url, method, text)
            if parsed is None:
                raise UnreadableBars("sent something other than JSON")
            return parsed

    return Bounded


def _with_base(urls: Any, base: str) -> Any:
    """Replace the scheme and host of ccxt's URLs by `base`. `urls` is one URL, or nested dicts of
    URLs."""
    if isinstance(urls, Mapping):
        return {name: _with_base(value, base) for name, value in urls.items()}
    return base.rstrip("/") + urlsplit(str(urls).replace("{hostname}", "host")).path


def _checked(page: Any, start: int, end: int, minutes: int) -> dict[int, Sequence[float]]:
    """The bars of one page that ccxt returned, by opening time in seconds since 1970; bars outside
    [start, end) are left out.

    Raises
    ------
    UnreadableBars
        The page does not consist of bars of `minutes` minutes.
    """
    if not isinstance(page, list):
        raise UnreadableBars("did not send a list of bars")
    out: dict[int, Sequence[float]] = {}
    for row in page:
        if not isinstance(row, list) or len(row) < 6:
            raise UnreadableBars("sent rows that are not price bars")
        try:
            stamp = int(row[0])
            values = [math.nan if v is None else float(v) for v in row[1:6]]
        except (TypeError, ValueError, OverflowError):
            raise UnreadableBars("sent bars with values that are not numbers") from None
        seconds, rest = divmod(stamp, 1000)
        if rest or seconds % (60 * minutes):
            raise UnreadableBars("sent bars whose times are not multiples of the interval")
        if start <= seconds < end:
            out[seconds] = values
    return out


def _arrays(rows: Mapping[int, Sequence[float]]) -> Bars:
    """Bars as arrays: opening times (n,), ascending, and values (n, 5): open, high, low, close,
    volume. `rows` has these values by opening time. Bars that contradict themselves, e.g. with a
    high below the low, are left out."""
    stamps = np.array(sorted(rows), dtype=np.int64)
    values = np.array([rows[s] for s in stamps.tolist()], dtype=float).reshape(-1, 5)
    sane = consistent(values)
    return stamps[sane], values[sane]


class Archive:
    """Fetches whole months of price bars from Binance's public archive and checks each file against
    its published hash."""

    def __init__(self, url: str, *, deadline: float = 60.0) -> None:
        self._url = url.rstrip("/")
        self._deadline = deadline
        self._http = httpx2.AsyncClient(
            timeout=deadline,
            headers={"User-Agent": _AGENT},
            follow_redirects=False,
            cookies=no_cookies(),
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def month(self, symbol: str, month: date, minutes: int) -> Bars | None:
        """The times and values of a month's bars; None if the archive has no file for the month.

        Raises
        ------
        FeedFailed
            The file can't be fetched or read, or does not match its published hash.
        """
        pair = symbol.replace("/", "")
        name = f"{pair}-{minutes}m-{month:%Y-%m}"
        where = f"{self._url}/data/spot/monthly/klines/{pair}/{minutes}m/{name}.zip"
        checksum = await self._get(f"{where}.CHECKSUM", 4096)
        if checksum is None:
            return None
        data = await self._get(where, MOST_BYTES)
        if data is None:
            return None
        if (
            hashlib.sha256(data).hexdigest()
            != checksum.decode("ascii", "replace").split(" ")[0].strip()
        ):
            raise FeedFailed(f"{name}.zip does not match its published hash.")
        return await asyncio.to_thread(_unzipped, name, data)

    async def _get(self, url: str, most: int) -> bytes | None:
        try:
            async with asyncio.timeout(self._deadline), self._http.stream("GET", url) as answer:
                if answer.status_code == 404:
                    return None
                if answer.status_code != 200:
                    raise FeedFailed(
                        f"The archive of price bars answered with status {answer.status_code}."
                    )
                raw = bytearray()
                async for part in answer.aiter_bytes():
                    raw += part
                    if len(raw) > most:
                        raise FeedFailed(
                            "The archive of price bars sent a file larger than a month of bars "
                            "can be."
                        )
                return bytes(raw)
        except (TimeoutError, httpx2.HTTPError):
            raise Offline("The archive of price bars can't be reached.") from None


def _unzipped(name: str, data: bytes) -> Bars:
    """The price bars in the archive's zip file of one month. Times in the file are in milliseconds
    until 2024, in microseconds from 2025 on."""
    rows: dict[int, Sequence[float]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            about = archive.getinfo(f"{name}.csv")
            if about.file_size > MOST_UNZIPPED:
                raise FeedFailed(f"{name}.zip is larger than a month of bars can be.")
            text = archive.read(about).decode("ascii")
        for row in csv.reader(io.StringIO(text)):
            if not row or not row[0].isdigit():  # some months have a header
                continue
            stamp = int(row[0])
            seconds = stamp // (1_000_000 if stamp > 10**14 else 1_000)
            rows[seconds] = [float(v) for v in row[1:6]]
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        raise FeedFailed(f"{name}.zip can't be read: {type(error).__name__}.") from None
    return _arrays(rows)
