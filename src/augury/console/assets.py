"""Holds in memory the built files of the console (Augury in a browser) and of the documentation,
each with its compressed forms, to serve them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

DIST = Path(__file__).parent / "dist"
"""Folder to which the build of the console writes its files. A wheel contains this folder."""
MANIFEST = "manifest.json"
_MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".md": "text/markdown; charset=utf-8",
    ".json": "application/json",
    ".ipynb": "application/x-ipynb+json",
    ".png": "image/png",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}


@dataclass(frozen=True, slots=True)
class Asset:
    """One file: its plain bytes, and its compressed forms by content coding (br, gzip)."""

    media_type: str
    plain: bytes
    coded: dict[str, bytes]

    def best(self, accepted: str) -> tuple[str | None, bytes]:
        """The content coding in which to send the file (`br` before `gzip`; None: uncompressed) and
        the bytes in this coding. `accepted`: the request's `Accept-Encoding` header."""
        taken = {part.split(";")[0].strip().lower() for part in accepted.split(",")}
        for coding in ("br", "gzip"):
            if coding in taken and coding in self.coded:
                return coding, self.coded[coding]
        return None, self.plain


class Assets:
    """The files that the latest build of the console or of the documentation wrote to `folder`. If
    a build finishes while the service runs, its files are used from the next request on."""

    def __init__(self, folder: Path = DIST) -> None:
        self.folder = folder
        self._read_at: float | None = None
        self._files: dict[str, Asset] = {}

    def get(self, name: str) -> Asset | None:
        """The built file of this name; None if there is none or nothing is built."""
        return self._current().get(name)

    @property
    def built(self) -> bool:
        return bool(self._current())

    def _current(self) -> dict[str, Asset]:
        manifest = self.folder / MANIFEST
        try:
            changed = manifest.stat().st_mtime
        except OSError:
            return {}
        if changed != self._read_at:
            try:
                self._files = _read(self.folder, json.loads(manifest.read_text())["files"])
                self._read_at = changed
            except (OSError, ValueError, KeyError):
                return {}  # being replaced just now; the next request sees the new one
        return self._files


def _read(folder: Path, names: list[str]) -> dict[str, Asset]:
    found = {}
    for name in names:
        path = folder / name
        coded = {}
        for coding, suffix in (("br", ".br"), ("gzip", ".gz")):
            packed = path.with_name(path.name + suffix)
            if packed.exists():
                coded[coding] = packed.read_bytes()
        media = _MEDIA.get(path.suffix, "application/octet-stream")
        found[name] = Asset(media, path.read_bytes(), coded)
    return found
