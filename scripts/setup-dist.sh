#!/usr/bin/env bash
# Makes .build-dist/ with what scripts/dist-requirements.txt pins; does nothing if it has that already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.build-dist
requirements=scripts/dist-requirements.txt
stamp=$venv/installed.txt

if cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then exit 0; fi

echo "setup-dist: making $venv"
rm -rf "$venv"
python3 -m venv "$venv" </dev/null
"$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input \
  --requirement "$requirements" </dev/null
cp "$requirements" "$stamp"
