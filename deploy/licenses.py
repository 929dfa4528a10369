"""Licenses of the installed packages that the lock names: a check, or a bill of materials.

python deploy/licenses.py          fails on a license that does not go with Apache-2.0
python deploy/licenses.py --sbom   CycloneDX 1.6 as JSON
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

LOCK = Path(__file__).parents[1] / "requirements" / "run.txt"
FORBIDDEN = re.compile(
    r"\b(AGPL|Affero|SSPL|BUSL|Commons Clause|non-?commercial|proprietary)\b", re.I
)
STRONG = re.compile(r"(?<!Lesser )(?<!L)\bGPL|General Public License", re.I)
WEAK = re.compile(r"LGPL|Lesser|MPL|Mozilla", re.I)


def locked() -> list[tuple[str, str, list[str]]]:
    """Name, version and SHA-256 hashes of each package of the lock."""
    found = []
    for entry in re.split(r"\n(?=[a-zA-Z0-9])", LOCK.read_text()):
        head = re.match(r"([A-Za-z0-9_.-]+)==([^\s;\\]+)", entry)
        if head:
            found.append((head[1], head[2], re.findall(r"sha256:([0-9a-f]{64})", entry)))
    return found


def license(package: Distribution) -> str:
    """What a package says of its license; empty when it says nothing."""
    data = package.metadata
    for text in (data.get("License-Expression"), data.get("License")):
        if text and len(text) < 100 and text.upper() != "UNKNOWN":
            return text.strip()
    names = [c.rsplit(" :: ", 1)[-1] for c in data.get_all("Classifier") or [] if "License ::" in c]
    if names:
        return " OR ".join(names)
    for path in package.files or []:
        if re.match(r"(?i)licen[cs]e|copying", path.name):
            first = Path(str(package.locate_file(path))).read_text(errors="replace").strip()
            return first.split("\n", 1)[0].strip()[:100]
    return ""


def main() -> int:
    """Exit status 1 where a license does not fit or is not told."""
    components, wrong = [], []
    for name, version, hashes in locked():
        try:
            said = license(distribution(name))
        except PackageNotFoundError:
            continue  # of another platform
        strong = STRONG.search(said) and not WEAK.search(said) and " OR " not in said
        if not said or FORBIDDEN.search(said) or strong:
            wrong.append(f"{name} {version}: {said or 'no license told'}")
        components.append(
            {
                "type": "library",
                "name": name,
                "version": version,
                "purl": f"pkg:pypi/{name.lower()}@{version}",
                "licenses": [{"license": {"name": said}}],
                "hashes": [{"alg": "SHA-256", "content": h} for h in hashes],
            }
        )
    if "--sbom" in sys.argv:
        bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1}
        print(json.dumps(bill | {"components": components}, indent=1))
        return 0
    print(f"{len(components)} packages, {len(wrong)} with a license to look at")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
