#!/usr/bin/env bash
# Makes .build-judges/ with what scripts/judge-requirements.txt pins; does nothing if it has that already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.build-judges
requirements=scripts/judge-requirements.txt
stamp=$venv/installed.txt

if cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then exit 0; fi

echo "setup-judges: making $venv"
rm -rf "$venv"
python3 -m venv "$venv" </dev/null
# Not compiled: each client imports few of its thousands of modules.
"$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input \
  --requirement "$requirements" </dev/null
cp "$requirements" "$stamp"
