#!/usr/bin/env bash
# Makes .build-venv/ with what scripts/test-requirements.txt pins; does nothing if it has that already.
#
# All but Microsoft's 16,000 modules, of which tests import few, is compiled; what does not compile is left as it is.
exec "$(dirname "${BASH_SOURCE[0]}")/venv.sh" .build-venv scripts/test-requirements.txt \
  bash -c '"$PYTHON" -m compileall -qq -j 0 -x /msgraph/generated/ "${PYTHON%/bin/python}"/lib/python3*/site-packages || true'
