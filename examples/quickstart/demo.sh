#!/bin/sh
# The quick start, run for real in a scratch copy with an identity of its own. Shows each command before what it says,
# checks each exit code, and removes the copy at the end. Any surprise ends it with a code other than 0.
set -eu

command -v keyplan >/dev/null || {
  echo "demo: keyplan is not on PATH; \`make demo\` builds it and puts it there" >&2
  exit 1
}
example=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# A new user: no identity, no settings, and nothing that is set outside reaches in.
for name in $(env | sed -n 's/^\(KEYPLAN_[A-Z_]*\)=.*/\1/p') XDG_CONFIG_HOME XDG_STATE_HOME QUICKSTART_MISTRAL_API_KEY; do
  unset "$name"
done
HOME=$scratch/home
USER=newcomer
# What a person at a terminal sees: here the output may go to a file.
KEYPLAN_CHECKOUT=trusted
export HOME USER KEYPLAN_CHECKOUT
mkdir "$HOME" "$scratch/weather"
cd "$scratch/weather"
cp "$example/keyplan.yaml" "$example/app.json" .
# A checkout is readable by everybody; what gets secrets should not be.
chmod go= app.json
cp "$example/.env.example" .env

say() { printf '\n# %s\n' "$*"; }

fail() {
  printf '\ndemo: %s\n' "$*" >&2
  exit 1
}

# expect CODE COMMAND…: shows the command, runs it, and ends the demo if it gives another exit code.
expect() {
  wanted=$1
  shift
  printf '\n$ %s\n' "$*"
  code=0
  "$@" || code=$?
  [ "$code" -eq "$wanted" ] || fail "exit code $code where $wanted was expected"
  [ "$code" -eq 0 ] || printf '(exit code %s, as expected)\n' "$code"
}

# silent COMMAND…: the same for a command that succeeds and says nothing.
silent() {
  printf '\n$ %s\n' "$*"
  said=$("$@" 2>&1) || fail "exit code $? where 0 was expected"
  [ -z "$said" ] || fail "it was not silent: $said"
}

# arrived KEY NAME FILE: what the store gives is what stands in the file. Compares the two and shows neither.
arrived() {
  case $3 in
    *.json) sed -n "s/^ *\"$2\": *\"\(.*\)\",*\$/\1/p" "$3" ;;
    *) sed -n "s/^$2=//p" "$3" ;;
  esac | tr -d '\n' > "$scratch/found"
  printf '\n$ keyplan get %s | cmp - <%s in %s>\n' "$1" "$2" "$3"
  keyplan get "$1" > "$scratch/given" || fail "the value could not be had"
  [ -s "$scratch/given" ] || fail "the value is empty"
  cmp "$scratch/given" "$scratch/found" || fail "the value did not arrive"
  printf 'the same %d bytes\n' "$(wc -c < "$scratch/given")"
}

# edit FILE NAME=VALUE: what a hand in an editor does.
edit() {
  sed "s/^${2%%=*}=.*/$2/" "$1" > "$scratch/edited"
  cat "$scratch/edited" > "$1"
}

say "A manifest came from git, a .env from a colleague. What is missing is an identity and a store."
expect 0 keyplan init

say "What would be done? Nothing is written by asking."
expect 2 keyplan plan --detailed-exitcode

say "Do it."
expect 0 keyplan apply --yes

say "Everything agrees now."
expect 0 keyplan plan --detailed-exitcode
expect 0 keyplan keys
arrived active.assistant MISTRAL_API_KEY .env.local
arrived weather openWeatherMap app.json

say "Somebody edits a target by hand."
expect 0 edit .env.local WEATHER_KEY=typed-in-by-hand
expect 2 keyplan drift

say "Applying heals it."
expect 0 keyplan apply --yes
silent keyplan drift --quiet
arrived weather WEATHER_KEY .env.local

say "That was all of it. The scratch copy is removed."
