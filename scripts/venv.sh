#!/usr/bin/env bash
# Makes a Python environment with what a file of requirements pins. One that was made from the same file is kept.
#
#   scripts/venv.sh FOLDER REQUIREMENTS [COMMAND…]   the command ends the making, with PYTHON set; without it, nothing more is done
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=$1 requirements=$2
shift 2
stamp=$venv/installed.txt
made_of() { cat "$requirements" && echo "$@"; }

if cmp -s <(made_of "$@") "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then exit 0; fi

echo "venv: making $venv"
rm -rf "$venv"
python3 -m venv "$venv" </dev/null
# Not compiled: each client imports few of its thousands of modules.
"$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input \
  --requirement "$requirements" </dev/null
if (($#)); then PYTHON=$venv/bin/python "$@" </dev/null; fi
made_of "$@" >"$stamp"
