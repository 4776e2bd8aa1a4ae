#!/bin/sh
# Puts the program, its completions and its man pages in place: install.sh PROGRAM
# PREFIX (default /usr/local) is where they are to be, DESTDIR what stands before it while a package is made.
set -eu

program=$1
here=$(dirname "$0")
root=${DESTDIR:-}${PREFIX:-/usr/local}
share=$root/share

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

install -d "$root/bin"
install -m 755 "$program" "$root/bin/keyplan"

for place in bash:bash-completion/completions/keyplan zsh:zsh/site-functions/_keyplan \
  fish:fish/vendor_completions.d/keyplan.fish; do
  file=$share/${place#*:}
  "$program" completions "${place%%:*}" >"$made/completion"
  install -d "$(dirname "$file")"
  install -m 644 "$made/completion" "$file"
done

if command -v python3 >/dev/null; then
  "$here/man-pages.py" "$program" "$made/man1"
  install -d "$share/man/man1"
  install -m 644 "$made"/man1/*.1 "$share/man/man1/"
else
  echo "install.sh: no python3, so no man pages" >&2
fi
echo "keyplan is in $root: bin/keyplan, its completions and its man pages."
