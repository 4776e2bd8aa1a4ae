#!/usr/bin/env bash
# Compares the instruction counts of everyday commands with Benchmarks/counts.txt. `make counts` calls it.
#   counts.sh PROGRAM [--record]
set -euo pipefail
if ! command -v valgrind >/dev/null; then
  echo "counts: valgrind is missing: make setup" >&2
  exit 1
fi
exec python3 "$(dirname "${BASH_SOURCE[0]}")/../Benchmarks/counts.py" "$@"
