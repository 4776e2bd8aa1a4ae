#!/usr/bin/env bash
# Makes .build-peers/ with what scripts/peer-requirements.txt pins (about 100 MB); does nothing if it has that already.
# Tests that need one of these programs are skipped without it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

peers=.build-peers
requirements=scripts/peer-requirements.txt

if cmp -s "$requirements" "$peers/installed.txt"; then exit 0; fi

echo "setup-peers: making $peers"
rm -rf "$peers"
python3 -m venv "$peers" </dev/null
"$peers/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input \
  --requirement "$requirements" </dev/null
cp "$requirements" "$peers/installed.txt"
