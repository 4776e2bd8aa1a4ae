#!/usr/bin/env bash
# Installs what building and testing keyplan need beside Swift, gcc, git and Python, as far as it is missing.
set -euo pipefail

# What keyplan is built with; then what tests use: a second age implementation, a password store, a keyring with its bus, certificates, faults by system call,
# shells to complete in, a server and a pooler for shared stores (libpq comes with them), and a counter of instructions.
packages=(libyaml-dev libssl-dev libsqlite3-dev libcurl4-openssl-dev libexpat1-dev age openssh-client pass gnome-keyring
  libsecret-tools dbus-daemon dbus-bin openssl strace zsh fish postgresql pgbouncer valgrind)

if ! command -v dpkg-query >/dev/null; then
  echo "setup: not Debian or a relative: make sure of libyaml, OpenSSL, SQLite, libcurl and libexpat with headers, age, ssh-keygen, pass, gnome-keyring, secret-tool, dbus-daemon, dbus-send, the openssl command, strace, zsh, fish, PostgreSQL's server, pgbouncer and valgrind" >&2
  exit 0
fi

# Where Python has no ensurepip (Debian's own has not), `make setup-test` could not make its environment.
python3 -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)

# An authorization server that is as strict as any about its tokens, and a compiler of TypeScript. Where one cannot be had, the tests with it say so.
optional=(glewlwyd node-typescript)

is_missing() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true) != installed ]]
}

missing=()
for package in "${packages[@]}"; do
  if is_missing "$package"; then missing+=("$package"); fi
done
wanted=()
for package in "${optional[@]}"; do
  if is_missing "$package"; then wanted+=("$package"); fi
done
if ((${#missing[@]} + ${#wanted[@]} == 0)); then exit 0; fi

as_root=()
if ((EUID != 0)); then
  if ((${#missing[@]} == 0)) && ! sudo -n true 2>/dev/null; then exit 0; fi
  if ! sudo -n true 2>/dev/null; then
    echo "setup: packages are missing, and installing them needs root. Run this, then try again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo -n)
fi

echo "setup: installing ${missing[*]} ${wanted[*]}"
apt_get() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=120 "$@" </dev/null
}
# The list of packages may be old or empty. A source that does not answer matters only if the install then fails.
apt_get update || echo "setup: the package lists could not all be renewed" >&2
if ((${#missing[@]})); then apt_get install -y --no-install-recommends "${missing[@]}"; fi
for package in "${wanted[@]}"; do
  apt_get install -y --no-install-recommends "$package" || echo "setup: $package could not be installed" >&2
done
