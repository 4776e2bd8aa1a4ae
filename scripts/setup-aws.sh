#!/usr/bin/env bash
# Makes .build-venv-aws/ (350 MB) with what scripts/aws-requirements.txt pins; does nothing if it has that already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.build-venv-aws
requirements=scripts/aws-requirements.txt
stamp=$venv/installed.txt

if cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then exit 0; fi

echo "setup-aws: making $venv"
rm -rf "$venv"
python3 -m venv "$venv" </dev/null
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --requirement "$requirements" </dev/null
cp "$requirements" "$stamp"
