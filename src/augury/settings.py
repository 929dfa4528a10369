"""Every setting, with its unit and default. Environment `AUGURY_*` > `.env` > `augury.toml`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import (
    BaseSettings,
    DotEnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from augury.errors import SetupProblem

OnOff = Literal["on", "off"]
_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?", re.ASCII)
LlmTask = Literal["label", "rewrite", "match", "wording"]

_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}


def default_data_dir() -> Path:
    """`$AUGURY_DATA_DIR`, else `$XDG_DATA_HOME/augury`, else `~/.local/share/augury`."""
    if chosen := os.environ.get("AUGURY_DATA_DIR"):
        return Path(chosen)
    try:
        base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    except RuntimeError:
        raise SetupProblem(
            "This user has no home folder to keep data in. Set AUGURY_DATA_DIR to a folder that "
            "may be written and is kept, such as a mounted volume."
        ) from None
    return Path(base) / "augury"


CHECKOUT = Path(__file__).parents[2]
"""Augury's own folder, where it runs from a checkout; inside an installation no place for files."""
_OTHERS_MAY_WRITE = 0o022
_NOT_SETTINGS = {
    *("AUGURY_VENV", "AUGURY_PYTHON", "AUGURY_GOLDEN"),
    *("AUGURY_URL", "AUGURY_API_KEY", "AUGURY_OTHER_API_KEY"),
}
"""Variables that ./augury, the tests and clients read; those that begin with AUGURY_TEST_ too."""


def files() -> list[Path]:
    """Where settings are read from: the data folder and, in a checkout, Augury's own folder; never
    the folder somebody happens to stand in.

    Raises
    ------
    SetupProblem
        A file somebody else may write would decide where secrets go.
    """
    folders = [default_data_dir()]
    if (CHECKOUT / "pyproject.toml").is_file() and (CHECKOUT / "src").is_dir():
        folders.append(CHECKOUT)
    found = [folder / ".env" for folder in folders] + [folders[0] / "augury.toml"]
    found = [file for file in found if file.is_file()]
    for file in found:
        for path in (file, file.parent):
            try:
                stat = path.stat()
            except OSError as error:
                raise SetupProblem(f"{path} can't be read: {error.strerror}.") from None
            if stat.st_uid not in (os.geteuid(), 0) or stat.st_mode & _OTHERS_MAY_WRITE:
                raise SetupProblem(
                    f"{path} belongs to another user, or others may write it: settings are not "
                    f"read from there. Run: chown {os.geteuid()} {path} && chmod go-w {path}"
                )
    return found


def sources() -> dict[str, str]:
    """Where each setting that is set outside the program comes from, by its `AUGURY_*` name:
    "environment", or the file."""
    found: dict[str, str] = {}
    # The stronger ones last: augury.toml, the checkout's .env, the data folder's, the environment.
    for file in reversed(files()):
        if file.name == "augury.toml":
            names = [f"AUGURY_{name}" for name in tomllib.loads(file.read_text("utf-8"))]
        else:
            names = list(DotEnvSettingsSource(Settings, env_file=file).env_vars)
        found |= {name.upper(): str(file) for name in names}
    return found | {name.upper(): "environment" for name in os.environ}


def check_names(names: Iterable[str]) -> None:
    """Refuse what looks like a setting and is none: a misspelt one protects nobody.

    Raises
    ------
    SetupProblem
        With the name that was probably meant.
    """
    known = {f"AUGURY_{name.upper()}" for name in Settings.model_fields}
    for name in sorted(names):
        upper = name.upper()
        if not upper.startswith("AUGURY_") or upper in known | _NOT_SETTINGS:
            continue
        if upper.startswith("AUGURY_TEST_"):
            continue
        near = get_close_matches(upper, known, n=1)
        hint = f" Did you mean {near[0]}?" if near else " docs/configuration.md lists them all."
        raise SetupProblem(f"There is no setting {name}.{hint}")


class Settings(BaseSettings):
    """The service's settings. A field's name in upper case after `AUGURY_` is its variable."""

    model_config = SettingsConfigDict(
        env_prefix="AUGURY_", extra="ignore", validate_default=True, hide_input_in_errors=True
    )

    # Where things are kept and served
    data_dir: Path = Field(
        default_factory=default_data_dir,
        description="Folder of all state: the embedded database, the index, augury.toml.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=8000, ge=0, le=65535, description="Port to listen on; 0 picks a free one."
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL >= 15 by URL (may be pooled); unset: the embedded server.",
    )
    database_direct_url: SecretStr | None = Field(
        default=None, description="The same server unpooled, for LISTEN and migrations."
    )
    database_pool_size: int = Field(
        default=8, ge=2, le=200, description="Connections a process opens."
    )
    secret_key: SecretStr | None = Field(
        default=None,
        description="32 random bytes as base64 that seal users' secrets; unset: secret.key in "
        "the data folder.",
    )
    pg_bin_dir: Path | None = Field(
        default=None,
        description="Folder of PostgreSQL binaries to use in place of the bundled ones.",
    )
    search_url: str | None = Field(
        default=None, description="Search server by URL; unset: the index inside the process."
    )
    url: str | None = Field(
        default=None,
        description="A service elsewhere that commands ask, like https://augury.example.org; "
        "unset: the one of this data folder.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="Key with which commands ask the service at AUGURY_URL."
    )
    redis_url: SecretStr | None = Field(
        default=None, description="Redis for rate limits; unset: PostgreSQL counts them."
    )
    work: Literal["child", "here", "elsewhere"] = Field(
        default="child",
        description="Who does the heavy background work: child: a process that `augury serve` "
        "starts; here: `serve` itself; elsewhere: `augury worker` that you start.",
    )
    worker_metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Port on which a worker answers /metrics, without a key; unset: none.",
    )
    worker_metrics_host: str = Field(
        default="127.0.0.1", description="Address on which a worker answers /metrics."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Lowest level that is logged."
    )
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="auto: console on a terminal, JSON lines elsewhere."
    )

    # The console in the browser
    console: OnOff = Field(
        default="on", description="Serve the console at `/`; off: `/` leads to the API's pages."
    )
    embed_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Origins whose pages may show `/embed/...` in a frame, by comma, like "
        "https://example.org; unset: none.",
    )

    # Where the markets come from
    sync: OnOff = Field(default="on", description="Follow the venues while serving.")
    sample: OnOff = Field(
        default="on", description="Fill an empty catalogue with the marked sample."
    )
    polymarket_gamma_url: str = Field(
        default="https://gamma-api.polymarket.com", description="Polymarket's metadata API."
    )
    polymarket_clob_url: str = Field(
        default="https://clob.polymarket.com", description="Polymarket's order books and prices."
    )
    kalshi_url: str = Field(
        default="https://external-api.kalshi.com/trade-api/v2", description="Kalshi's API."
    )
    sync_full_every: float = Field(
        default=6 * 3600, gt=0, description="Seconds between full listings of a venue."
    )
    sync_incremental_every: float = Field(
        default=60, gt=0, description="Seconds between looks for new and changed markets."
    )
    price_refresh_every: float = Field(
        default=30, gt=0, description="Seconds between price refreshes of active markets."
    )
    upstream_timeout: float = Field(
        default=10, gt=0, description="Seconds a venue has for one answer."
    )
    stale_after: float = Field(
        default=900,
        gt=0,
        description="Seconds after which a venue's data counts as stale in health.",
    )
    price_max_age: float = Field(
        default=14 * 86_400,
        gt=0,
        description="Age from which a price no longer counts, in seconds or like 36h, 14d.",
    )

    market_ids: Literal["native", "uuid"] = Field(
        default="native",
        description="How answers write market ids: native, like kalshi:KXFED-27JAN-T3.50, or "
        "uuid, for clients that know only UUIDs. Requests take both.",
    )

    # Who may do how much ("count/unit", unit one of s, min, h)
    anonymous_rate: str = Field(
        default="50/s",
        description="Requests of any kind without a key, per address and process; four times as "
        "many at once. A wrong key counts as five.",
    )
    anonymous_search_rate: str = Field(default="1/s", description="Anonymous searches per address.")
    anonymous_search_burst: int = Field(default=1, ge=1, description="Anonymous searches at once.")
    anonymous_top_k: int = Field(default=20, ge=1, description="Largest top_k without a key.")
    search_rate: str = Field(default="10/s", description="Searches per key.")
    search_in_flight: int = Field(
        default=8, ge=1, description="Searches of one key at the same time."
    )
    export_rate: str = Field(
        default="30/min",
        description="Files of the whole list of markets per account, of which one is made at a "
        "time.",
    )
    search_top_k: int = Field(default=100, ge=1, description="Largest top_k with a key.")
    forecast_rate: str = Field(default="10/min", description="Forecasts per key.")
    forecast_in_flight: int = Field(default=2, ge=1, description="Forecasts of one key at once.")
    rvol_coins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=tuple(
            "BTC ETH SOL XRP BNB DOGE ADA TRX AVAX LINK DOT LTC BCH NEAR UNI APT ICP ETC XLM FIL"
            " ATOM ARB OP SUI INJ HBAR AAVE ALGO SEI TON".split()
        ),
        description="Coins whose bars are fetched while serving, by comma; empty: none.",
    )
    rvol_exchanges: Annotated[tuple[str, ...], NoDecode] = Field(
        default=("binance", "bybit", "okx", "kraken", "coinbase"),
        description="Exchanges asked for bars, in this order, by comma: names of ccxt.",
    )
    rvol_exchange_url: str | None = Field(
        default=None, description="Ask this address in place of the exchanges' own: a gateway."
    )
    rvol_archive_url: str | None = Field(
        default="https://data.binance.vision",
        description="Public archive of monthly bars with hashes; empty: only the exchanges.",
    )
    rvol_horizons: Annotated[tuple[int, ...], NoDecode] = Field(
        default=(1, 5, 7, 22, 30),
        description="Horizons of volatility forecasts in days, 1 to 60, by comma.",
    )
    rvol_replay_days: int = Field(
        default=180,
        ge=1,
        le=2_000,
        description="Days before the newest for which volatility forecasts are replayed.",
    )
    rvol_rate: str = Field(default="60/min", description="RVOL requests per key.")
    macro_rate: str = Field(default="100/s", description="Macro runtime requests per key.")
    macro_in_flight: int = Field(
        default=100, ge=1, description="Macro runtime requests of one key at the same time."
    )
    max_body_bytes: int = Field(
        default=64 * 1024, ge=1024, description="Largest request body, bytes."
    )
    max_run_body_bytes: int = Field(
        default=4 * 1024 * 1024,
        ge=1024,
        description="Largest body of a run of forecasts (1,000 questions fit), bytes.",
    )
    import_max_bytes: int = Field(
        default=256 * 1024 * 1024,
        ge=0,
        description="Largest file that an operator may import over HTTP, bytes; 0: none.",
    )
    max_header_bytes: int = Field(
        default=16 * 1024, ge=1024, description="Largest header block, bytes."
    )
    error_detail: Literal["list", "string"] = Field(
        default="list",
        description="How invalid requests are answered: list (of issues) or string, in `detail`. "
        "A caller may ask by `Prefer: detail=string`.",
    )
    search_deadline: float = Field(
        default=10, gt=0, description="Seconds a search may take, then 503."
    )
    forecast_deadline: float = Field(
        default=30, gt=0, description="Seconds a forecast may take, then 503."
    )
    request_deadline: float = Field(
        default=30, gt=0, description="Seconds any other request may take."
    )
    # Where users may send this service (webhooks, series, pages)
    outbound_http: OnOff = Field(
        default="off", description="Connect to users' addresses without TLS too."
    )
    outbound_allow: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Networks, addresses or host names to connect to although not public, by "
        "comma.",
    )

    extension_fetch: OnOff = Field(
        default="off",
        description="Fetch a page of which a keyed caller tells the address alone, for its title.",
    )
    notify_schemes: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Apprise services by URL scheme that deliveries may use, by comma; unset: "
        "none.",
    )
    webhook_rate: float = Field(
        default=10,
        gt=0,
        le=100_000,
        allow_inf_nan=False,
        description="Messages a second to one host, and new connections to one address, for all "
        "accounts together; after a pause ten seconds' worth at once.",
    )
    series_rate: float = Field(
        default=5,
        gt=0,
        le=100_000,
        allow_inf_nan=False,
        description="Fetches of series a second from one host, and new connections to one address, "
        "by all accounts together; after a pause ten seconds' worth at once.",
    )

    # The macro runtime behind /v1/macro-runtime
    macro_runtime_url: str | None = Field(default=None, description="Upstream of the macro proxy.")
    macro_runtime_key: SecretStr | None = Field(
        default=None, description="The service's own bearer token for the upstream."
    )
    macro_runtime_timeout: float = Field(
        default=10, gt=0, description="Seconds the upstream has for one answer, redirects included."
    )
    macro_runtime_stale: float = Field(
        default=86_400,
        ge=0,
        description="Seconds past its freshness that a stored answer may stand in for a failing "
        "upstream, where the answer does not say.",
    )

    # The language model, if any
    llm_url: str | None = Field(
        default=None,
        description="Base URL of an OpenAI-compatible endpoint, like http://localhost:8080/v1; "
        "unset: no language model is asked.",
    )
    llm_model: str = Field(
        default="default", min_length=1, description="Name of the model at the endpoint."
    )
    llm_key: SecretStr | None = Field(default=None, description="Bearer token for the endpoint.")
    llm_tasks: Annotated[tuple[LlmTask, ...], NoDecode] = Field(
        default=("label", "rewrite", "match"),
        description="What it is asked, by comma: label (pairs of events, offline), rewrite and "
        "match (in forecasts), wording (of a forecast's reasons).",
    )
    llm_deadline: float = Field(
        default=2,
        gt=0,
        description="Seconds the model may add to one forecast in all; at most half of the "
        "forecast's own.",
    )
    llm_timeout: float = Field(
        default=60,
        gt=0,
        description="Seconds the endpoint has for one answer; one that comes too late for its "
        "forecast is kept for the next.",
    )
    llm_daily_tokens: int = Field(
        default=200_000, ge=0, description="Most tokens a UTC day, in and out together."
    )
    llm_daily_cost: float = Field(
        default=1, ge=0, description="Most money a UTC day, in the currency of the prices."
    )
    llm_price_in: float = Field(
        default=0, ge=0, description="Price of a million tokens sent to the model."
    )
    llm_price_out: float = Field(
        default=0, ge=0, description="Price of a million tokens of its answers."
    )
    llm_format: Literal["schema", "grammar", "object", "none"] = Field(
        default="object",
        description="How JSON is asked for (response_format): schema (json_schema), grammar "
        "(json_object with a schema, as llama.cpp takes it), object (json_object), none.",
    )

    # Where it really runs: proxies, limits on connections, safety
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Addresses or networks of the proxies whose forwarding header is believed, by "
        "comma.",
    )
    forwarded_header: Literal["x-forwarded-for", "forwarded", "x-real-ip"] = Field(
        default="x-forwarded-for",
        description="The one header in which the trusted proxies write where a request comes "
        "from; all others are ignored.",
    )
    trusted_hops: int | None = Field(
        default=None,
        ge=1,
        le=32,
        description="Most proxies a request comes through; unset: as many as are trusted.",
    )
    metrics: Literal["off", "key", "open"] = Field(
        default="key",
        description="Who may read /metrics: off: nobody; key: keys with the scope metrics:read; "
        "open: everybody.",
    )
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Host names by which the service may be asked, by comma; *.example.com for "
        "all below; addresses and localhost are always taken; unset: any name if "
        "AUGURY_HOST is not a local address.",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Origins of pages that may read answers in a browser, by comma, like "
        "https://example.com; *: all, without a key.",
    )
    max_connections: int = Field(
        default=4096,
        ge=8,
        description="Most connections of a process; fewer where it may open fewer files.",
    )
    max_connections_per_address: int = Field(
        default=512,
        ge=1,
        description="Most connections of one address (IPv6: of one /64); trusted proxies have no "
        "limit.",
    )

    search_key: SecretStr | None = Field(
        default=None, description="API key of the search server (AUGURY_SEARCH_URL)."
    )
    backup_every: float | None = Field(
        default=None,
        ge=60,
        description="Seconds between backups, each verified by a restore; unset: none are made.",
    )
    backup_keep: int = Field(default=7, ge=1, description="How many scheduled backups are kept.")
    backup_dir: Path | None = Field(
        default=None, description="Folder of scheduled backups; unset: backups in the data folder."
    )

    # Relations
    relation_labels: OnOff = Field(
        default="on", description="Use stored labels of a language model in relations."
    )

    @field_validator(
        "trusted_proxies",
        "allowed_hosts",
        "cors_origins",
        "outbound_allow",
        "notify_schemes",
        "llm_tasks",
        "rvol_coins",
        "rvol_exchanges",
        "embed_origins",
        mode="before",
    )
    @classmethod
    def _split(cls, value: object) -> object:
        return (
            tuple(p.strip() for p in value.split(",") if p.strip())
            if isinstance(value, str)
            else value
        )

    @field_validator("price_max_age", mode="before")
    @classmethod
    def _seconds(cls, value: object) -> object:
        unit = _SECONDS.get(value[-1:]) if isinstance(value, str) else None
        if not isinstance(value, str) or unit is None:
            return value
        return float(value[:-1]) * unit

    @field_validator("embed_origins")
    @classmethod
    def _origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not all(_ORIGIN.fullmatch(origin) for origin in value):
            raise ValueError("an origin is written like https://example.org")
        return value

    @field_validator("llm_url")
    @classmethod
    def _endpoint(cls, value: str | None) -> str | None:
        if value and not value.startswith(("http://", "https://")):
            raise ValueError("should begin with http:// or https://")
        return value or None

    @field_validator("rvol_horizons", mode="before")
    @classmethod
    def _days(cls, value: object) -> object:
        if isinstance(value, str):
            value = tuple(part.strip().removesuffix("d") for part in value.split(",") if part)
        return value

    @field_validator("rvol_horizons")
    @classmethod
    def _within(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if not value or not all(1 <= days <= 60 for days in value):
            raise ValueError("horizons lie between 1 and 60 days")
        return tuple(sorted(set(value)))

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        read = files()
        envs = [file for file in read if file.name == ".env"]
        # Of two the data folder's is the stronger: it is read last.
        dotenv = DotEnvSettingsSource(settings_cls, env_file=tuple(reversed(envs)))
        tomls = [file for file in read if file.name == "augury.toml"]
        try:
            toml = TomlConfigSettingsSource(settings_cls, tomls)
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise SetupProblem(f"{tomls[0]} is not valid TOML: {error}.") from None
        check_names(os.environ)
        check_names(dotenv.env_vars)
        check_names(f"augury_{name}" for name in toml.toml_data)
        return init_settings, env_settings, dotenv, toml
