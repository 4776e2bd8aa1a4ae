#!/usr/bin/env bash
# Runs the quick start with the program as it is released: its flags differ from those of the tests' debug build.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$program" "$folder/keyplan"

PATH="$folder:$PATH" examples/quickstart/demo.sh
printf '\n==> %s, %s bytes\n' "$("$program" --version)" "$(stat -c %s "$program")"
