"""The catalogue in PostgreSQL: all SQL over markets, their removals and their prices is here.

Writing is in `upserts` (whole markets), `news` (updates of known markets), `prices` and
`quarantine`; reading in `reading`, `naming`, `prices` and, for code that follows the catalogue,
`changes` and `moving`. Other packages import from this package, not from its modules.

Every writer of `markets` first takes one advisory lock and holds it until its transaction ends. So
the numbers in the columns `change` and `moved` (see `changes`) become visible in the order in which
they are assigned: after a connection has read number n, no new row with a lower number appears. The
column `seq` is the market's serial number, assigned when it is inserted.
"""

from augury.markets.store.changes import (
    IndexRow,
    changes_since,
    fetch_index_rows,
    last_change,
    moved_since,
)
from augury.markets.store.moving import (
    HAS_TWINS,
    MOVING,
    NEVER,
    TWO_OUTCOMES,
    MovingRow,
    all_moving,
    categories,
    last_moved,
    moving,
    moving_irregular,
    moving_since,
)
from augury.markets.store.naming import named_by, native_ids
from augury.markets.store.prices import (
    AppendSummary,
    Bucket,
    PastPrices,
    PriceRow,
    Spark,
    append_prices,
    history,
    last_price_at,
    latest_prices,
    prices_before,
    sparks,
    volume_readings,
)
from augury.markets.store.quarantine import (
    WHOLE_QUOTE,
    Held,
    held,
    hold_points,
    release,
)
from augury.markets.store.quarantine import counts as quarantine_counts
from augury.markets.store.reading import (
    Filters,
    PlatformCount,
    Position,
    Quote,
    Sort,
    StoredMarket,
    counts_by_platform_status,
    fetch,
    fetch_related,
    is_empty,
    list_page,
    members,
    overdue,
    position,
    quotes,
    quotes_by_seq,
    sample_size,
)
from augury.markets.store.sql import (
    Connection,
    lock_for_ingest,
)
from augury.markets.store.updates import (
    apply_changes,
    set_links,
    unlink_all,
)
from augury.markets.store.upserts import (
    UpsertSummary,
    drop_sample,
    upsert_markets,
)

__all__ = [
    "HAS_TWINS",
    "MOVING",
    "NEVER",
    "TWO_OUTCOMES",
    "WHOLE_QUOTE",
    "AppendSummary",
    "Bucket",
    "Connection",
    "Filters",
    "Held",
    "IndexRow",
    "MovingRow",
    "PastPrices",
    "PlatformCount",
    "Position",
    "PriceRow",
    "Quote",
    "Sort",
    "Spark",
    "StoredMarket",
    "UpsertSummary",
    "all_moving",
    "append_prices",
    "apply_changes",
    "categories",
    "changes_since",
    "counts_by_platform_status",
    "drop_sample",
    "fetch",
    "fetch_index_rows",
    "fetch_related",
    "held",
    "history",
    "hold_points",
    "is_empty",
    "last_change",
    "last_moved",
    "last_price_at",
    "latest_prices",
    "list_page",
    "lock_for_ingest",
    "members",
    "moved_since",
    "moving",
    "moving_irregular",
    "moving_since",
    "named_by",
    "native_ids",
    "overdue",
    "position",
    "prices_before",
    "quarantine_counts",
    "quotes",
    "quotes_by_seq",
    "release",
    "sample_size",
    "set_links",
    "sparks",
    "unlink_all",
    "upsert_markets",
    "volume_readings",
]
