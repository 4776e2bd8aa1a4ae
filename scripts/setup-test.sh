#!/usr/bin/env bash
# Makes .build-venv/ with what scripts/test-requirements.txt pins; does nothing if it has that already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.build-venv
requirements=scripts/test-requirements.txt
stamp=$venv/installed.txt

if cmp -s "$requirements" "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then exit 0; fi

echo "setup-test: making $venv"
rm -rf "$venv"
python3 -m venv "$venv" </dev/null
"$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input \
  --requirement "$requirements" </dev/null
# All but Microsoft's 16,000 modules, of which tests import few. As with pip, what does not compile is nobody's concern.
"$venv/bin/python" -m compileall -qq -j 0 -x '/msgraph/generated/' "$venv"/lib/python3*/site-packages </dev/null || true
cp "$requirements" "$stamp"
