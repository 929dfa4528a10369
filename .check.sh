#!/bin/sh
V=/work/venv/bin
$V/ruff check src tests && $V/ruff format --check src tests | tail -3 ; $V/pyright --pythonpath $V/python "$@" 2>&1 | tail -15
