"""Strict JSON (RFC 8259, I-JSON): if two parsers could read a text differently, it is refused with
status 422 and the place of the problem."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from augury.errors import InvalidInput

MAX_DEPTH = 64


class _Refused(ValueError):
    pass


def loads(body: bytes) -> Any:
    """Decode `body`, refusing everything that two parsers could read differently.

    Refused: bad UTF-8, NaN and Infinity, numbers beyond a double, duplicate keys, lone
    surrogates, NUL characters, nesting deeper than `MAX_DEPTH`.
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as exc:
        raise _issue("The body is not valid UTF-8.", exc.start) from None
    try:
        value = _decoder.decode(text)
    except json.JSONDecodeError as exc:
        raise _issue("The body is not valid JSON.", exc.pos) from None
    except RecursionError:
        raise _issue(_TOO_DEEP) from None
    except _Refused as exc:
        raise _issue(str(exc)) from None
    except ValueError:  # int() refuses more than 4,300 digits
        raise _issue("A number is out of range.") from None
    # The decoder accepts escapes of lone surrogates and of NUL, and deep nesting. Only bodies that
    # may have them are walked through.
    if "\\u" in text or text.count("[") + text.count("{") > MAX_DEPTH:
        _walk(value)
    return value


_TOO_DEEP = f"The body is nested deeper than {MAX_DEPTH} levels."


def _issue(msg: str, *place: int) -> InvalidInput:
    return InvalidInput.at("body", *place, msg=msg, type="json_invalid")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused("An object has the same key twice.")
    return found


def _float(text: str) -> float:
    value = float(text)
    if value - value != 0.0:
        raise _Refused("A number is out of range.")
    return value


def _constant(text: str) -> NoReturn:
    raise _Refused("NaN and Infinity are not JSON.")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_float=_float, parse_constant=_constant)


def _walk(root: Any) -> None:
    level, depth = [root], 0
    while level:
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, dict):
                for key in value:
                    _check_text(key)
                below.extend(value.values())
            elif isinstance(value, list):
                below.extend(value)
        depth += 1
        if depth > MAX_DEPTH + 1:
            raise _issue(_TOO_DEEP)
        level = below


def _check_text(text: str) -> None:
    if "\x00" in text:
        raise _issue("A string contains a NUL character.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _issue("A string contains half of a surrogate pair.") from None
