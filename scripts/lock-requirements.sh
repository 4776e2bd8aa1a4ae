#!/usr/bin/env bash
# Writes scripts/*-requirements.lock: each package of scripts/*-requirements.txt and all that they need, at one version, with the
# SHA-256 of its files. scripts/venv.sh installs nothing else. Run it after a change of a .txt, and review what else it changes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch" </dev/null
"$scratch/bin/python" -m pip install --quiet --disable-pip-version-check --no-input uv==0.13.9 </dev/null

for requirements in scripts/*-requirements.txt; do
  options=()
  # Programs in packages whose own requirements are not wanted.
  [[ $(head -n 1 "$requirements") == *"without what they need"* ]] && options=(--no-deps)
  # For every platform, from Debian 12's Python on. The programs of the benchmark run without it, but their packages name a later one.
  python=3.11
  [[ $requirements == */bench-* ]] && python=3.13
  "$scratch/bin/uv" pip compile --quiet --universal --python-version "$python" --generate-hashes --no-strip-extras --no-header --no-annotate \
    "${options[@]}" "$requirements" --output-file "${requirements%.txt}.lock"
done
