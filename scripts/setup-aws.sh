#!/usr/bin/env bash
# Makes .build-venv-aws/ (350 MB) with what scripts/aws-requirements.txt pins; does nothing if it has that already.
exec "$(dirname "${BASH_SOURCE[0]}")/venv.sh" .build-venv-aws scripts/aws-requirements.txt
