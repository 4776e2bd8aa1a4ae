#!/usr/bin/env bash
# Makes .build-dist/ with what scripts/dist-requirements.txt pins; does nothing if it has that already.
exec "$(dirname "${BASH_SOURCE[0]}")/venv.sh" .build-dist scripts/dist-requirements.txt
