"""The version of the models follows their code, not what people read in it."""

from __future__ import annotations

import re

from augury.rvol import issuing

CODE = '''"""What this module does."""

LAG = 5
"""Days between two rows; negative values are
not allowed."""


def double(x: float) -> float:
    """Twice `x`."""
    # A note.
    return 2 * x
'''


def test_docstrings_and_comments_make_no_new_version() -> None:
    retold = re.sub(r'""".*?"""', '"""Other words."""', CODE, flags=re.S).replace("A note", "Why")
    assert retold != CODE
    assert issuing.executed(retold) == issuing.executed(CODE)


def test_changed_code_makes_a_new_version() -> None:
    for old, new in (("2 * x", "3 * x"), ("LAG = 5", "LAG = 6"), ("double", "twice")):
        assert issuing.executed(CODE.replace(old, new)) != issuing.executed(CODE)


def test_texts_that_are_used_are_code() -> None:
    text = 'NAME = "har"\nlabel("""long""")\n'
    assert issuing.executed(text) == text.rstrip()
