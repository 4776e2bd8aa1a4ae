#!/usr/bin/env bash
# Runs the fuzz entries under libFuzzer and AddressSanitizer, one after the other on one core.
#
#   scripts/fuzz.sh                    each entry, 1,000,000 executions
#   scripts/fuzz.sh --runs N           so many of each
#   scripts/fuzz.sh --only NAME        one entry, a folder in Tests/KeyplanFuzzTests/Corpus/; several times for several
#   scripts/fuzz.sh --jobs N           so many entries at once
#
# What it learns stays in .build-fuzz/learned/, so that the next run goes on from there. An input that breaks something is
# written to .build-fuzz/found/ and named at the end.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs=1000000
jobs=1
only=()
while (($#)); do
  case $1 in
    --runs | --only | --jobs) [[ -n ${2:-} ]] || { echo "fuzz: $1 needs a value" >&2; exit 64; } ;;&
    --runs) runs=$2 ;;
    --jobs) jobs=$2 ;;
    --only) only+=("$2") ;;
    *) echo "fuzz: unknown option $1" >&2; exit 64 ;;
  esac
  shift 2
done

scratch=.build-fuzz
corpus=Tests/KeyplanFuzzTests/Corpus
build=(swift build -c release --scratch-path "$scratch" --sanitize=address --product keyplan-fuzz)
# The coverage that libFuzzer follows, and the entries' view of what is internal.
build+=(-Xswiftc -sanitize=fuzzer -Xswiftc -enable-testing)
export KEYPLAN_FUZZ=1
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
# Its report of a crash takes minutes; libFuzzer has the input, and the test repeats it.
export SWIFT_BACKTRACE=enable=no

"${build[@]}"
program=$("${build[@]}" --show-bin-path)/keyplan-fuzz

# Without a name the program lists its entries: the name, and how long an input is worth the time.
declare -A longest=()
while read -r name length; do longest[$name]=$length; done < <("$program" 2>/dev/null)
((${#longest[@]})) || { echo "fuzz: the program lists no entries" >&2; exit 1; }
((${#only[@]})) || mapfile -t only < <(printf '%s\n' "${!longest[@]}" | sort)
for name in "${only[@]}"; do
  [[ -n ${longest[$name]:-} ]] || { echo "fuzz: there is no entry $name" >&2; exit 64; }
done

mkdir -p "$scratch/found" "$scratch/logs"
fuzz() {
  local name=$1 length=$2 log=$scratch/logs/$1
  mkdir -p "$scratch/learned/$name"
  if KEYPLAN_FUZZ_ENTRY=$name "$program" "$scratch/learned/$name" "$corpus/$name" -runs="$runs" -max_len="$length" \
    -timeout=30 -rss_limit_mb=3072 -artifact_prefix="$scratch/found/$name-" -print_final_stats=1 >"$log" 2>&1; then
    printf '%-16s %9s executions, %4s a second, %s inputs learned\n' "$name" \
      "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" \
      "$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")" "$(find "$scratch/learned/$name" -type f | wc -l)"
  else
    printf '%-16s FAILED: %s\n' "$name" "$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
    grep -m 3 -E "^$name: |ERROR: |Fatal error" "$log" || tail -n 5 "$log"
    return 1
  fi
}
export -f fuzz
export runs scratch corpus program

failed=0
for name in "${only[@]}"; do printf '%s %s\n' "$name" "${longest[$name]}"; done |
  xargs -P "$jobs" -L 1 bash -c 'fuzz "$0" "$1"' || failed=1
if ((failed)); then
  echo "fuzz: put each input that failed into $corpus/NAME/, where make test repeats it, and then fix what it found" >&2
  exit 1
fi
