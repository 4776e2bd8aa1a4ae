#!/usr/bin/env bash
# Builds the release program twice from what is committed, and compares the bytes. Both builds are in a folder of the same name: the
# compiler hashes its own command line into a section that is never loaded (swiftlang/swift#64188).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=${KEYPLAN_DIST_SCRATCH:-/tmp/keyplan-dist-check}
mkdir "$scratch"
trap 'rm -rf "$scratch"' EXIT

for turn in first second; do
  echo "dist-check: the $turn build, in $scratch/keyplan"
  git clone --quiet . "$scratch/keyplan"
  make --no-print-directory -C "$scratch/keyplan" release >"$scratch/log" 2>&1 || { tail -n 30 "$scratch/log" >&2; exit 1; }
  find "$scratch/keyplan/.build/" -path '*/release/keyplan' -type f -exec cp {} "$scratch/$turn" \;
  if grep -qaF "$scratch" "$scratch/$turn"; then
    echo "dist-check: a path of this machine is in the program:" >&2
    strings "$scratch/$turn" | grep -F -m 5 "$scratch" >&2
    exit 1
  fi
  # The second build must not find anything of the first.
  rm -rf "$scratch/keyplan"
done
cmp "$scratch/first" "$scratch/second"
echo "dist-check: the same program twice, SHA-256 $(sha256sum <"$scratch/first" | cut -d ' ' -f 1)"
