#!/usr/bin/env bash
# Makes .build-judges/ with what scripts/judge-requirements.txt pins; does nothing if it has that already.
#
# axe-core, which checks the accessibility of pages, is a script in the package of a browser library, which itself is not needed.
exec "$(dirname "${BASH_SOURCE[0]}")/venv.sh" .build-judges scripts/judge-requirements.txt \
  bash -c '"$PYTHON" -m pip install --quiet --no-compile --disable-pip-version-check --no-input --no-deps axe-playwright-python==0.1.8'
