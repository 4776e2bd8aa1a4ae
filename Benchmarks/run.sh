#!/bin/sh
# Measures the keyplan that is on PATH, beside Terraform, sops and fnox where they are. `make bench` calls it.
#   run.sh [--record] [--runs N] [--sizes 10,100,…] [--no-largest] [--services | --edges | --reader] [--full]
set -eu
exec python3 "$(dirname -- "$0")/bench.py" "$@"
