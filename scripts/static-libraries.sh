#!/usr/bin/env bash
# Collects the static libraries of the release program in a folder: static-libraries.sh FOLDER
# SwiftPM finds libyaml and SQLite by the .pc files that are written there; a full path in such a file it refuses, and a folder given to the
# linker it puts after the system's. A library of which the system has no archive is linked dynamically.
set -euo pipefail

mkdir -p "$1"
folder=$(cd "$1" && pwd)
rm -f "$folder"/*.a "$folder"/*.pc

archive() {
  local found
  found=$(gcc -print-file-name="$1")
  # gcc prints the bare name of what it does not find.
  [[ $found == /* ]] || { echo "static-libraries: no $1: the program will need this library" >&2; return 1; }
  ln -s "$found" "$folder/$1"
}

# Name of the .pc file, name of the library, what it needs itself.
library() {
  archive "lib$2.a" || return 0
  cat >"$folder/$1.pc" <<END
Name: $2
Description: $2, linked statically
Version: $(pkg-config --modversion "$1" 2>/dev/null || echo 0)
Cflags: $(pkg-config --cflags "$1" 2>/dev/null || true)
Libs: -L$folder -l$2 $3
END
}

archive libstdc++.a || true
library yaml-0.1 yaml ""
library sqlite3 sqlite3 -lm
