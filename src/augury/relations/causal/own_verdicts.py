"""An operator's own verdicts on how pairs of factors are related, in addition to those that come
with this version.

They are text files in the data folder. The service loads `judged/*.tsv`; files in
`judged/proposed/*.tsv` wait for a person to read them. The format is that of `knowledge/judged`
(`docs/factors.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import structlog

from augury.relations.causal import judged
from augury.relations.causal.judged import PairVerdict
from augury.relations.causal.knowledge import Base

log = structlog.get_logger(__name__)


def accepted_folder(data_dir: Path) -> Path:
    """The folder with the operator's accepted verdicts on how pairs of factors are related. The
    service loads these."""
    return data_dir / "judged"


def proposed_folder(data_dir: Path) -> Path:
    """The folder with the proposed verdicts on how pairs of factors are related. They wait for a
    person to read them; the service does not load them."""
    return accepted_folder(data_dir) / "proposed"


def read(folder: Path, problems: list[str]) -> list[PairVerdict]:
    """Read the verdicts on pairs of factors from all files in a folder, in the order of the file
    names. The list is empty if there is no folder.

    Messages on what can't be read are added to `problems`.
    """
    found: list[PairVerdict] = []
    for file in sorted(folder.glob("*.tsv")):
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            problems.append(f"{file.name}: can't be read ({type(error).__name__})")
        else:
            found += judged.read(file.name, text, problems)
    return found


def joined(base: Base, own: Sequence[PairVerdict]) -> Base:
    """The factor base with an operator's verdicts on pairs of factors (`own`) added. A verdict
    shipped with this version is replaced if the operator has one on the same pair."""
    if not own:
        return base
    replaced = {verdict.pair for verdict in own}
    kept = [verdict for verdict in base.verdicts if verdict.pair not in replaced]
    return replace(base, verdicts=(*own, *kept))


def join(base: Base, data_dir: Path) -> Base:
    """The factor base with the operator's accepted verdicts on pairs of factors added. They are
    read from the data folder; lines that can't be read are logged and skipped."""
    problems: list[str] = []
    base = joined(base, read(accepted_folder(data_dir), problems))
    for problem in problems:
        log.warning(
            "operator_verdict_on_factor_pair_skipped",
            folder=str(accepted_folder(data_dir)),
            reason=problem,
        )
    return base
