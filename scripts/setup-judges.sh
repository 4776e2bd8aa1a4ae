#!/usr/bin/env bash
# Makes .build-judges/ with what scripts/judge-requirements.txt pins; does nothing if it has that already.
exec "$(dirname "${BASH_SOURCE[0]}")/venv.sh" .build-judges scripts/judge-requirements.txt \
  bash -c '"$PYTHON" -m pip install --quiet --no-compile --disable-pip-version-check --no-input --no-deps \
    --only-binary=:all: --require-hashes --requirement scripts/axe-requirements.lock'
