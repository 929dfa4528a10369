"""All SQL on how markets are related: events of markets, links between markets that are the same
contract on two venues, markets whose prices move together, and a language model's labels (its
answers on how two events are related).

Events and links are in `event_rows`, markets whose prices move together in `movements`, labels in
`label_rows`. Other modules import from this package only.
"""

from augury.relations.store.event_rows import (
    Connection,
    Counts,
    clear,
    counts,
    create_events,
    describe_events,
    drop_empty_events,
    events_of_markets,
    events_of_nodes,
    linked,
    markets_of_events,
    remove_members,
    replace_links,
    save_members,
    save_nodes,
    save_state,
    seqs_of_keys,
    state,
)
from augury.relations.store.label_rows import (
    LabelRelation,
    LabelRow,
    add_label,
    judge_labels,
    labeled_pairs,
    labels,
    labels_state,
    leading_markets,
    remove_labels,
)
from augury.relations.store.movements import (
    CoMovementRow,
    PricedStep,
    co_movements,
    co_movements_measured_at,
    priced_steps,
    replace_co_movements,
    strongest_co_movements,
)

__all__ = [
    "CoMovementRow",
    "Connection",
    "Counts",
    "LabelRelation",
    "LabelRow",
    "PricedStep",
    "add_label",
    "clear",
    "co_movements",
    "co_movements_measured_at",
    "counts",
    "create_events",
    "describe_events",
    "drop_empty_events",
    "events_of_markets",
    "events_of_nodes",
    "judge_labels",
    "labeled_pairs",
    "labels",
    "labels_state",
    "leading_markets",
    "linked",
    "markets_of_events",
    "priced_steps",
    "remove_labels",
    "remove_members",
    "replace_co_movements",
    "replace_links",
    "save_members",
    "save_nodes",
    "save_state",
    "seqs_of_keys",
    "state",
    "strongest_co_movements",
]
