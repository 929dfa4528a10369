"""Makes a completion script for a shell, and a manual page for `man`, from the commands of
`augury`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from augury import __version__
from augury.handbook.reference import EXIT_CODES, Argument, described, every_command

# `path` and `words` are zsh's own variables, so the script must not use these names.
_BASH = """# Completion of augury. To use it: eval "$(augury completion bash)"
_augury() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" level= offered= n
  for ((n = 1; n < COMP_CWORD; n++)); do
    case "$level ${{COMP_WORDS[n]}}" in
      {known}) level="${{level:+$level }}${{COMP_WORDS[n]}}" ;;
    esac
  done
  case "$level" in
{cases}
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$current"))
  case "$current" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}}
complete -o filenames -F _augury augury ./augury
"""
_ZSH = """# In zsh: eval "$(augury completion zsh)"
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
autoload -U +X bashcompinit && bashcompinit
"""


def completion(shell: str) -> str:
    """A script that makes `shell` ("bash" or "zsh") complete the commands and options of `augury`.
    It contains all words, so that completion is fast: it never starts Augury."""
    words = dict(_words(every_command()))
    steps = sorted(
        f'"{path.rpartition(" ")[0]} {path.rpartition(" ")[2]}"' for path in words if path
    )
    cases = "\n".join(f'    "{path}") offered="{" ".join(w)}" ;;' for path, w in words.items())
    script = _BASH.format(known="|".join(steps), cases=cases)
    if shell == "bash":
        return script
    # With the option "filenames", zsh would add no space after a command.
    return _ZSH + script.partition("\n")[2].replace("complete -o filenames ", "complete ")


def _words(found: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    """The words that can follow each beginning of a command line: `""` -> the first words of all
    commands, `keys` -> `create`, `list` ..., `keys create` -> the options of that command.

    found : the words that call a command -> the command
    """
    groups: dict[str, dict[str, None]] = {"": {}}
    for path in found:
        first, _, second = path.partition(" ")
        groups[""][first] = None
        if second:
            groups.setdefault(first, {})[second] = None
    yield from ((path, list(words)) for path, words in groups.items())
    for path, command in found.items():
        options = [o for p in command.params for o in (*p.opts, *p.secondary_opts)]
        yield path, [o for o in options if o.startswith("--")] + ["--help"]


def man() -> str:
    """All commands as one manual page for `man`, in the format roff."""
    lines = [
        f'.TH AUGURY 1 "" "augury {__version__}" "User Commands"',
        ".SH NAME",
        "augury \\- search, forecasts, volatility and alerts over prediction markets",
        ".SH SYNOPSIS",
        ".B augury\n.I COMMAND\n[\\fIOPTIONS\\fR]",
        ".SH COMMANDS",
    ]
    for name, command in every_command().items():
        prose, examples = described(command.help or "")
        lines += [".SS " + _roff(f"augury {name}")]
        lines += [".P\n" + _roff(part) for part in prose if part]
        for param in map(Argument, command.params):
            if param.written != "--help":
                value = f" \\fI{_roff(param.value)}\\fR" if param.value else ""
                lines += [".TP", f"\\fB{_roff(param.written)}\\fR{value}", _roff(param.about)]
        for example in examples:
            lines += [".P\n.nf", "\\fB" + _roff(example) + "\\fR", ".fi"]
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXIT_CODES:
        lines += [".TP", str(code), _roff(meaning)]
    return "\n".join(lines) + "\n"


def _roff(text: str) -> str:
    """`text` with all characters escaped that have a meaning in roff (the format of man pages)."""
    text = re.sub(r"\s+", " ", text).replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text
