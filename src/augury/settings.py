"""Every setting, with its unit and default. An environment variable `AUGURY_*` takes precedence
over `.env`, and `.env` over `augury.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from augury.setting_files import default_data_dir
from augury.setting_sources import SettingsFromSources
from augury.setting_values import Days, Endpoint, LlmTasks, Names, OnOff, Origins, Seconds


class Settings(SettingsFromSources):
    """The service's settings. `AUGURY_` and the name of a field in upper case is the environment
    variable that sets it: `port` is set by `AUGURY_PORT`."""

    # Where things are kept and served
    data_dir: Path = Field(
        default_factory=default_data_dir,
        description="Folder for all data: the embedded database, the search index, augury.toml.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(
        default=8000, ge=0, le=65535, description="Port to listen on; 0 picks a free one."
    )
    database_url: SecretStr | None = Field(
        default=None,
        description="URL of a PostgreSQL server (version 15 or newer), or of a connection pooler "
        "in front of it; unset: the embedded server.",
    )
    database_direct_url: SecretStr | None = Field(
        default=None,
        description="Direct URL of the PostgreSQL server. Set it if AUGURY_DATABASE_URL leads to a "
        "connection pooler: LISTEN and migrations need a direct connection. Unset: LISTEN and "
        "migrations use AUGURY_DATABASE_URL.",
    )
    database_pool_size: int = Field(
        default=8, ge=2, le=200, description="Maximum number of database connections per process."
    )
    secret_key: SecretStr | None = Field(
        default=None,
        description="Key that encrypts users' secrets: 32 random bytes as base64; unset: "
        "secret.key in the data folder.",
    )
    pg_bin_dir: Path | None = Field(
        default=None,
        description="Folder with PostgreSQL programs to use instead of the bundled ones.",
    )
    search_url: str | None = Field(
        default=None,
        description="URL of a Qdrant search server; unset: the service searches its own index.",
    )
    url: str | None = Field(
        default=None,
        description="Address of a remote service that commands use, e.g. "
        "https://augury.example.org; unset: the service of this data folder.",
    )
    api_key: SecretStr | None = Field(
        default=None, description="API key that commands send to the service at AUGURY_URL."
    )
    redis_url: SecretStr | None = Field(
        default=None,
        description="URL of a Redis server that counts rate limits; unset: PostgreSQL counts them.",
    )
    work: Literal["child", "here", "elsewhere"] = Field(
        default="child",
        description="Where heavy background work runs. child: a process that `augury serve` "
        "starts; here: `augury serve` itself; elsewhere: `augury worker`, which you "
        "start.",
    )
    worker_metrics_port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Port on which a worker serves /metrics, for which no API key is needed; "
        "unset: the worker does not serve /metrics.",
    )
    worker_metrics_host: str = Field(
        default="127.0.0.1", description="Address on which a worker serves /metrics."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="info", description="Lowest level of log messages that are written."
    )
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto",
        description="Log format. auto: readable on a terminal, JSON lines elsewhere.",
    )

    # The console in the browser
    console: OnOff = Field(
        default="on", description="Serve the console at `/`; off: `/` leads to the API's pages."
    )
    embed_origins: Origins = Field(
        default=(),
        description="Origins of pages that may show `/embed/...` in a frame, separated by commas, "
        "e.g. https://example.org; unset: none.",
    )

    # Where the markets come from
    sync: OnOff = Field(
        default="on",
        description="Fetch markets and prices from the venues (Polymarket, Kalshi) while serving.",
    )
    sample: OnOff = Field(
        default="on",
        description="Fill an empty catalogue with a small sample of invented markets, marked as "
        "such. off: add no sample, and remove a sample that was added by an earlier start of the "
        "service.",
    )
    polymarket_gamma_url: str = Field(
        default="https://gamma-api.polymarket.com",
        description="Address of Polymarket's metadata API.",
    )
    polymarket_clob_url: str = Field(
        default="https://clob.polymarket.com",
        description="Address of Polymarket's API for order books and prices.",
    )
    kalshi_url: str = Field(
        default="https://external-api.kalshi.com/trade-api/v2",
        description="Address of Kalshi's API.",
    )
    sync_full_every: float = Field(
        default=6 * 3600, gt=0, description="Seconds between full listings of a venue's markets."
    )
    sync_incremental_every: float = Field(
        default=60, gt=0, description="Seconds between checks for new and changed markets."
    )
    price_refresh_every: float = Field(
        default=30, gt=0, description="Seconds between price refreshes of active markets."
    )
    upstream_timeout: float = Field(
        default=10, gt=0, description="Timeout of a request to a venue, in seconds."
    )
    stale_after: float = Field(
        default=900,
        gt=0,
        description="Age, in seconds, from which the health report calls a venue's data stale.",
    )
    price_max_age: Seconds = Field(
        default=14 * 86_400,
        gt=0,
        description="Age from which a price is too old to be used, in seconds or e.g. 36h, 14d.",
    )

    market_ids: Literal["native", "uuid"] = Field(
        default="native",
        description="Form of market ids in answers. native: e.g. kalshi:KXFED-27JAN-T3.50; uuid: "
        "for clients that know only UUIDs. Requests accept both.",
    )

    # Who may do how much ("count/unit", unit one of s, min, h)
    anonymous_rate: str = Field(
        default="50/s",
        description="Maximum rate of requests without a key per client address, as count/unit "
        "(unit: s, min or h); counted in each process. Bursts of four times the count are allowed. "
        "A request with a wrong key counts as five requests.",
    )
    anonymous_search_rate: str = Field(
        default="1/s",
        description="Maximum rate of searches without a key per client address, as count/unit "
        "(unit: s, min or h).",
    )
    anonymous_search_burst: int = Field(
        default=1,
        ge=1,
        description="Maximum number of searches without a key that one client address may send in "
        "a burst.",
    )
    anonymous_top_k: int = Field(
        default=20,
        ge=1,
        description="For callers without a key: maximum number of search results per relation "
        "(request field top_k_per_dimension).",
    )
    search_rate: str = Field(
        default="10/s",
        description="Maximum rate of searches per key, as count/unit (unit: s, min or h). Each of "
        "these groups of requests has the same limit and is counted separately: the browser "
        "extension; markets; watchlists and external series; stored forecasts and graphs; "
        "administration. For all these groups except the browser extension, bursts may be four "
        "times as large.",
    )
    search_in_flight: int = Field(
        default=8,
        ge=1,
        description="Maximum number of searches that one key may run at the same time.",
    )
    export_rate: str = Field(
        default="30/min",
        description="Maximum rate of downloads of the whole market list per account, as "
        "count/unit (unit: s, min or h). In addition, each account can run only one such download "
        "at a time.",
    )
    search_top_k: int = Field(
        default=100,
        ge=1,
        description="For callers with a key: maximum number of search results per relation "
        "(request field top_k_per_dimension).",
    )
    forecast_rate: str = Field(
        default="10/min",
        description="Maximum rate of forecasts per key, as count/unit (unit: s, min or h).",
    )
    forecast_in_flight: int = Field(
        default=2,
        ge=1,
        description="Maximum number of forecasts that one key may run at the same time.",
    )
    rvol_coins: Names = Field(
        default=tuple(
            "BTC ETH SOL XRP BNB DOGE ADA TRX AVAX LINK DOT LTC BCH NEAR UNI APT ICP ETC XLM FIL"
            " ATOM ARB OP SUI INJ HBAR AAVE ALGO SEI TON".split()
        ),
        description="Coins whose price bars are fetched while serving, separated by commas; "
        "empty: none.",
    )
    rvol_exchanges: Names = Field(
        default=("binance", "bybit", "okx", "kraken", "coinbase"),
        description="Exchanges from which price bars are fetched, in the order in which they are "
        "tried, separated by commas. Names are those of the library ccxt.",
    )
    rvol_exchange_url: str | None = Field(
        default=None,
        description="Address of your own gateway, from which price bars are fetched instead of "
        "from the exchanges. Unset: from the exchanges.",
    )
    rvol_archive_url: str | None = Field(
        default="https://data.binance.vision",
        description="Address of a public archive of price bars in monthly files, each with a "
        "published hash; empty: fetch bars only from the exchanges.",
    )
    rvol_horizons: Days = Field(
        default=(1, 5, 7, 22, 30),
        description="Horizons of volatility forecasts in days (1 to 60), separated by commas.",
    )
    rvol_replay_days: int = Field(
        default=180,
        ge=1,
        le=2_000,
        description="Number of past days for which volatility forecasts are made afterwards "
        "(replays), each from only the prices known on its day.",
    )
    rvol_rate: str = Field(
        default="60/min",
        description="Maximum rate of volatility requests per key, as count/unit (unit: s, min or "
        "h).",
    )
    macro_rate: str = Field(
        default="100/s",
        description="Maximum rate of requests to /v1/macro-runtime per key, as count/unit (unit: "
        "s, min or h).",
    )
    macro_in_flight: int = Field(
        default=100,
        ge=1,
        description="Maximum number of requests to /v1/macro-runtime that one key may run at the "
        "same time.",
    )
    max_body_bytes: int = Field(
        default=64 * 1024, ge=1024, description="Largest request body, in bytes."
    )
    max_run_body_bytes: int = Field(
        default=4 * 1024 * 1024,
        ge=1024,
        description="Largest body, in bytes, of a request that starts a forecast run. The default "
        "has room for 1,000 questions.",
    )
    import_max_bytes: int = Field(
        default=256 * 1024 * 1024,
        ge=0,
        description="Maximum size of a file that is imported over HTTP, in bytes; 0: imports over "
        "HTTP are disabled.",
    )
    max_header_bytes: int = Field(
        default=16 * 1024, ge=1024, description="Largest block of request headers, in bytes."
    )
    error_detail: Literal["list", "string"] = Field(
        default="list",
        description="Form of `detail` in answers to invalid requests: list (of issues) or string. "
        "A caller may ask for a string with `Prefer: detail=string`.",
    )
    search_deadline: float = Field(
        default=10,
        gt=0,
        description="Time limit of a search, in seconds. A search that takes longer is answered "
        "with status 503.",
    )
    forecast_deadline: float = Field(
        default=30,
        gt=0,
        description="Time limit of a forecast, in seconds. A forecast that takes longer is "
        "answered with status 503.",
    )
    request_deadline: float = Field(
        default=30,
        gt=0,
        description="Time limit, in seconds, of requests that are neither searches nor forecasts.",
    )
    # Connections to addresses that users give (webhooks, series, pages)
    outbound_http: OnOff = Field(
        default="off",
        description="Allow unencrypted connections (http://) to addresses that users give.",
    )
    outbound_allow: Names = Field(
        default=(),
        description="Private networks, addresses or host names that this service may connect to at "
        "a user's request, separated by commas. Public hosts are always allowed.",
    )

    extension_fetch: OnOff = Field(
        default="off",
        description="Fetch the title of a web page if the browser extension sends only the page's "
        "address. This is done only for callers with a key.",
    )
    notify_schemes: Names = Field(
        default=(),
        description="URL schemes of Apprise services that deliveries may use, separated by "
        "commas; unset: none.",
    )
    webhook_rate: float = Field(
        default=10,
        gt=0,
        le=100_000,
        allow_inf_nan=False,
        description="Maximum number of webhook messages per second to one host, for all accounts "
        "together. New connections to one IP address are limited to the same number per second. "
        "After a pause, up to ten seconds' worth of messages may be sent at once.",
    )
    series_rate: float = Field(
        default=5,
        gt=0,
        le=100_000,
        allow_inf_nan=False,
        description="Maximum number of fetches of external series per second from one host, for "
        "all accounts together. New connections to one IP address are limited to the same number "
        "per second. After a pause, up to ten seconds' worth of fetches may be made at once.",
    )

    # The macro runtime behind /v1/macro-runtime
    macro_runtime_url: str | None = Field(
        default=None,
        description="Address of the macro runtime: your own service, e.g. with economic data, to "
        "which /v1/macro-runtime forwards requests; unset: none.",
    )
    macro_runtime_key: SecretStr | None = Field(
        default=None,
        description="Bearer token that Augury sends to the macro runtime, the service at "
        "AUGURY_MACRO_RUNTIME_URL.",
    )
    macro_runtime_timeout: float = Field(
        default=10,
        gt=0,
        description="Timeout of a request to the macro runtime in seconds, including redirects.",
    )
    macro_runtime_stale: float = Field(
        default=86_400,
        ge=0,
        description="Seconds for which a cached answer may be served after it has expired, while "
        "the macro runtime fails. The answer's Cache-Control header takes precedence.",
    )

    # The language model, if any
    llm_url: Endpoint = Field(
        default=None,
        description="Base URL of an OpenAI-compatible endpoint, e.g. http://localhost:8080/v1; "
        "unset: no language model is used.",
    )
    llm_model: str = Field(
        default="default",
        min_length=1,
        description="Name of the language model at the endpoint AUGURY_LLM_URL.",
    )
    llm_key: SecretStr | None = Field(
        default=None, description="Bearer token that Augury sends to the endpoint AUGURY_LLM_URL."
    )
    llm_tasks: LlmTasks = Field(
        default=("label", "rewrite", "match", "review"),
        description="Tasks that the language model is used for, separated by commas. Used during a "
        "forecast: rewrite (state the question more plainly), match (find the market that asks the "
        "question), wording (write the reason). Used only by commands that you run yourself: label "
        "(say how two events are related), review (say how two factors are related).",
    )
    llm_deadline: float = Field(
        default=2,
        gt=0,
        description="Maximum time, in seconds, that the language model may add to one forecast in "
        "total, but never more than half of AUGURY_FORECAST_DEADLINE.",
    )
    llm_timeout: float = Field(
        default=60,
        gt=0,
        description="Timeout of one answer of the language model, in seconds. An answer that comes "
        "too late for its forecast is stored, for later forecasts that send the language model the "
        "same request.",
    )
    llm_daily_tokens: int = Field(
        default=200_000,
        ge=0,
        description="Maximum number of tokens of the language model per UTC day, input and output "
        "together.",
    )
    llm_daily_cost: float = Field(
        default=1,
        ge=0,
        description="Maximum cost of the language model per UTC day, in any currency. "
        "AUGURY_LLM_PRICE_IN and AUGURY_LLM_PRICE_OUT use the same currency.",
    )
    llm_price_in: float = Field(
        default=0,
        ge=0,
        description="Price of one million tokens sent to the language model, in the same currency "
        "as AUGURY_LLM_DAILY_COST.",
    )
    llm_price_out: float = Field(
        default=0,
        ge=0,
        description="Price of one million tokens that the language model writes, in the same "
        "currency as AUGURY_LLM_DAILY_COST.",
    )
    llm_format: Literal["schema", "grammar", "object", "none"] = Field(
        default="object",
        description="The response_format put into requests to the language model, so that it "
        "answers in JSON. schema: json_schema; grammar: json_object with a schema (llama.cpp); "
        "object: json_object; none: no response_format.",
    )

    # Deployment: proxies, limits on connections, safety
    trusted_proxies: Names = Field(
        default=(),
        description="Addresses or networks of proxies whose forwarding header is trusted, "
        "separated by commas.",
    )
    forwarded_header: Literal["x-forwarded-for", "forwarded", "x-real-ip"] = Field(
        default="x-forwarded-for",
        description="The header in which trusted proxies write the client's address. All other "
        "such headers are ignored.",
    )
    trusted_hops: int | None = Field(
        default=None,
        ge=1,
        le=32,
        description="Number of proxies in front of the service. In the forwarding header, at most "
        "this many addresses are read, from right to left. The first of them that does not belong "
        "to a trusted proxy counts as the client's address. Unset: at most 32 addresses are read.",
    )
    metrics: Literal["off", "key", "open"] = Field(
        default="key",
        description="Who may read /metrics. off: nobody; key: callers whose key has the scope "
        "metrics:read; open: everybody.",
    )
    allowed_hosts: Names = Field(
        default=(),
        description="Host names by which callers may address this service (Host header), separated "
        "by commas; *.example.com allows all names below example.com. Numeric addresses and "
        "localhost are always allowed. Unset: no other names if AUGURY_HOST is a local address, "
        "else any name.",
    )
    cors_origins: Names = Field(
        default=(),
        description="Origins of web pages that may read this service's answers in a browser "
        "(CORS), separated by commas, e.g. https://example.com; *: all pages.",
    )
    max_connections: int = Field(
        default=4096,
        ge=8,
        description="Maximum number of open connections from clients per process. The maximum is "
        "lowered if the process's limit on open files (ulimit -n) is too small for it.",
    )
    max_connections_per_address: int = Field(
        default=512,
        ge=1,
        description="Maximum number of connections per address (IPv6: per /64). Trusted proxies "
        "have no limit.",
    )

    search_key: SecretStr | None = Field(
        default=None, description="API key of the search server (AUGURY_SEARCH_URL)."
    )
    backup_every: float | None = Field(
        default=None,
        ge=60,
        description="Seconds between two scheduled backups. Each backup is tested by restoring it. "
        "Unset: no scheduled backups.",
    )
    backup_keep: int = Field(default=7, ge=1, description="Number of scheduled backups to keep.")
    backup_dir: Path | None = Field(
        default=None,
        description="Folder for scheduled backups; unset: `backups` in the data folder.",
    )

    # Relations
    relation_labels: OnOff = Field(
        default="on",
        description="Also find related markets by the labels that a language model has given to "
        "pairs of events (`augury relations label`).",
    )
