"""An operator's own judged pairs, beside those that come with this version.

They lie as text in the data folder: `judged/*.tsv` counts, `judged/proposed/*.tsv` waits to be read
by a person. The format is that of `knowledge/judged` (`docs/factors.md`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import structlog

from augury.relations import judged
from augury.relations.judged import PairVerdict
from augury.relations.knowledge import Base

log = structlog.get_logger(__name__)


def accepted_folder(data_dir: Path) -> Path:
    """Whose files count."""
    return data_dir / "judged"


def proposed_folder(data_dir: Path) -> Path:
    """Whose files wait to be read by a person."""
    return accepted_folder(data_dir) / "proposed"


def read(folder: Path, problems: list[str]) -> list[PairVerdict]:
    """The verdicts of all files in a folder, by file name; none where there is no folder.

    What can't be read goes to `problems`.
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
    """The base with an operator's verdicts, each in the place of the shipped one on its pair."""
    if not own:
        return base
    replaced = {verdict.pair for verdict in own}
    kept = [verdict for verdict in base.verdicts if verdict.pair not in replaced]
    return replace(base, verdicts=(*own, *kept))


def join(base: Base, data_dir: Path) -> Base:
    """The base with what the data folder holds; lines that can't be read are logged and left."""
    problems: list[str] = []
    base = joined(base, read(accepted_folder(data_dir), problems))
    for problem in problems:
        log.warning(
            "own_pair_verdict_skipped", folder=str(accepted_folder(data_dir)), reason=problem
        )
    return base
