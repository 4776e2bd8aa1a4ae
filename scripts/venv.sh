#!/usr/bin/env bash
# Makes a Python environment with what a file of requirements pins. One that was made from the same file is kept.
#
#   scripts/venv.sh FOLDER REQUIREMENTS.txt [COMMAND…]   the command ends the making, with PYTHON set; without it, nothing more is done
#
# Installed are the files of REQUIREMENTS.lock alone, by their SHA-256 (scripts/lock-requirements.sh).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

venv=$1 requirements=$2
shift 2
lock=${requirements%.txt}.lock
stamp=$venv/installed.txt
made_of() { cat "$lock" && echo "$@"; }

# The lock writes names in lower case, and an extra where another package asks for it.
sed -nE 's/^([A-Za-z0-9_.-]+)(\[[^]]*\])?(==[^ ]+)$/\1\3/p' "$requirements" | tr "A-Z_" "a-z-" | while read -r pin; do
  grep -q "^${pin//./\\.}\( \|$\)" <(sed 's/\[[^]]*\]==/==/' "$lock") || { echo "venv: $lock has not $pin: run scripts/lock-requirements.sh" >&2 && exit 1; }
done

if cmp -s <(made_of "$@") "$stamp" && "$venv/bin/python" -c '' 2>/dev/null; then exit 0; fi

echo "venv: making $venv"
rm -rf "$venv"
python3 -m venv "$venv" </dev/null
# Not compiled: each client imports few of its thousands of modules.
# Wheels only: building another package would need packages that no hash pins.
"$venv/bin/python" -m pip install --quiet --no-compile --disable-pip-version-check --no-input \
  --only-binary=:all: --require-hashes --requirement "$lock" </dev/null
if (($#)); then PYTHON=$venv/bin/python "$@" </dev/null; fi
made_of "$@" >"$stamp"
