"""What pip-audit's report says, in words: python deploy/vulnerable.py REPORT.json

Exit status 1 where a package has a known vulnerability. Packages that the database could not be
asked about are no finding, and are not called safe.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path


def main(report: str) -> int:
    """Print a line for each known vulnerability, and for how many packages were asked about."""
    text = Path(report).read_text()
    packages = json.loads(text)["dependencies"] if text.strip() else []
    asked = [one for one in packages if "skip_reason" not in one]
    known = [
        f"{one['name']} {one['version']}: {found['id']}, mended in "
        f"{', '.join(found['fix_versions']) or 'no version yet'}"
        for one in asked
        for found in one["vulns"]
    ]
    for line in known:
        print(line)
    if not asked:
        print("vulnerabilities: not looked for, their database can't be asked from here")
    else:
        print(f"vulnerabilities: {len(known)} known in {len(asked)} packages")
        if unasked := len(packages) - len(asked):
            print(f"  about {unasked} packages the database could not be asked")
    return 1 if known else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
