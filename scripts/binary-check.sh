#!/usr/bin/env bash
# Refuses a release program that needs more of a system than glibc 2.34, of August 2021: binary-check.sh PROGRAM
set -euo pipefail

floor=2.34
# Parts of glibc, and gcc's library, which each distribution installs with glibc. Linked statically it would need glibc 2.35 (_dl_find_object).
allowed='libc\.so\.6|libm\.so\.6|libgcc_s\.so\.1|ld-linux-(x86-64|aarch64)\.so\.[12]'

program=$1
failed=0
fail() { echo "binary-check: $*" >&2; failed=1; }

mapfile -t versions < <(objdump -T "$program" | grep -o 'GLIBC_[0-9.]*' | sort -Vu)
((${#versions[@]} > 0)) || { fail "no version of glibc is named: is $program a dynamic ELF file?"; exit 1; }
needs=${versions[-1]#GLIBC_}
if [[ $(printf '%s\n' "$floor" "$needs" | sort -V | tail -n 1) != "$floor" ]]; then
  fail "glibc $needs is needed, not $floor:"
  objdump -T "$program" | grep -F "GLIBC_$needs" >&2
fi

mapfile -t libraries < <(readelf --dynamic "$program" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
((${#libraries[@]} > 0)) || fail "no library is needed: is $program a dynamic ELF file?"
for library in "${libraries[@]}"; do
  [[ $library =~ ^($allowed)$ ]] || fail "$library is needed: it is not linked statically"
done
readelf --dynamic "$program" | grep -E '\((RPATH|RUNPATH)\)' >&2 && fail "libraries are looked for beside it"
readelf --file-header "$program" | grep -q 'Type: *DYN' || fail "it is not loaded at a random address"
readelf --program-headers --wide "$program" | grep -q GNU_RELRO || fail "what the loader fills in stays writable"
readelf --dynamic "$program" | grep -qE 'BIND_NOW|Flags:.*NOW' || fail "functions of libraries are looked up late, in memory that stays writable"
readelf --program-headers --wide "$program" | grep -E 'GNU_STACK.*E' >&2 && fail "its stack is executable"
((failed == 0)) || exit 1
echo "binary-check: needs glibc $needs (at most $floor) and ${libraries[*]}"
