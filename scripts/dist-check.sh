#!/usr/bin/env bash
# Builds the release program twice from what is committed, in two folders, and compares the bytes. `.swift_modhash` is left out: it is
# not loaded, and the compiler hashes its own command line into it (swiftlang/swift#64188).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

for folder in first a-second-folder; do
  echo "dist-check: building in $scratch/$folder"
  git clone --quiet . "$scratch/$folder"
  make --no-print-directory -C "$scratch/$folder" release >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log" >&2; exit 1; }
  program=$(find "$scratch/$folder/.build/" -path '*/release/keyplan' -type f)
  if grep -qaF "$scratch" "$program"; then
    echo "dist-check: a path of this machine is in the program:" >&2
    strings "$program" | grep -F -m 5 "$scratch" >&2
    exit 1
  fi
  objcopy -R .swift_modhash "$program" "$scratch/$folder.program"
  # The next build must not find anything of this one.
  rm -rf "${scratch:?}/$folder"
done
cmp "$scratch/first.program" "$scratch/a-second-folder.program"
echo "dist-check: the same program twice, SHA-256 $(sha256sum <"$scratch/first.program" | cut -d ' ' -f 1)"
