"""The clients' models, and the API's description that they are generated from."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from augury.app import create_app
from augury.settings import Settings

FOLDER = Path(__file__).parents[2] / "clients" / "python"


def loaded(folder: Path) -> Any:
    """The generator of a client: a script, in no package."""
    spec = importlib.util.spec_from_file_location("generate", folder / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


generate = loaded(FOLDER)


API = create_app(Settings(sync="off", sample="off")).openapi()


SCHEMAS: dict[str, Any] = API["components"]["schemas"]


CALLS = {
    call: (group, name) for group, calls in generate.NAMES.items() for name, call in calls.items()
}
