#!/usr/bin/env bash
# Makes .build-judges/ with what scripts/judge-requirements.txt pins; does nothing if it has that already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=.build-judges
requirements=scripts/judge-requirements.txt
stamp=$venv/installed.txt

if cmp -s <(cat "$requirements" scripts/setup-judges.sh) "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then exit 0; fi

echo "setup-judges: making $venv"
rm -rf "$venv"
python3 -m venv "$venv" </dev/null
# Not compiled: each client imports few of its thousands of modules.
"$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input \
  --requirement "$requirements" </dev/null
# axe-core, which checks the accessibility of pages, is a script in this package. The browser library that the package is for is not needed.
"$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input --no-deps \
  axe-playwright-python==0.1.8 </dev/null
cat "$requirements" scripts/setup-judges.sh >"$stamp"
