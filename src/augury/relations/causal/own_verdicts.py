"""An operator's own verdicts on how pairs of factors (things in the world) are related, in addition
to those shipped with this version.

They are text files in the data folder. The service loads the files `judged/*.tsv`. The files
`judged/proposed/*.tsv` hold proposals, which a person has to read and accept first.
`docs/factors.md` describes the format.
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
    """The folder of the verdicts on pairs of factors that the operator has accepted. The service
    loads these."""
    return data_dir / "judged"


def proposed_folder(data_dir: Path) -> Path:
    """The folder of the proposed verdicts on pairs of factors. The service does not load these: a
    person has to read and accept them first."""
    return accepted_folder(data_dir) / "proposed"


def read(folder: Path, problems: list[str]) -> list[PairVerdict]:
    """Read the verdicts on pairs of factors from all files in a folder, in the order of the file
    names. The list is empty if the folder does not exist.

    Messages on files and lines that can't be read are added to `problems`.
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


def with_own(base: Base, own: Sequence[PairVerdict]) -> Base:
    """The factor base with the operator's verdicts on pairs of factors (`own`) added. They replace
    the verdicts shipped with this version on the same pairs."""
    if not own:
        return base
    replaced = {verdict.pair for verdict in own}
    kept = [verdict for verdict in base.verdicts if verdict.pair not in replaced]
    return replace(base, verdicts=(*own, *kept))


def with_accepted(base: Base, data_dir: Path) -> Base:
    """The factor base with the operator's accepted verdicts on pairs of factors added.

    They are read from the data folder. Lines that can't be read are logged and skipped.
    """
    problems: list[str] = []
    base = with_own(base, read(accepted_folder(data_dir), problems))
    for problem in problems:
        log.warning(
            "operator_verdict_on_factor_pair_skipped",
            folder=str(accepted_folder(data_dir)),
            reason=problem,
        )
    return base
