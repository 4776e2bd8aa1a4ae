#!/usr/bin/env bash
# The slow checks of what `make dist` made: the packages' policies and their installation, the program in bare systems, the image, the same bytes
# from two builds. Needs root, and installs nothing: where a tool is missing, its checks are skipped and counted.
#   dist-check.sh [packing] [policy] [roots] [image] [bytes]
# apt-get install lintian rpm rpmlint mmdebstrap piuparts buildah
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mirror=${KEYPLAN_DEBIAN_MIRROR:-http://deb.debian.org/debian}
scratch=${KEYPLAN_DIST_SCRATCH:-/tmp/keyplan-dist-check}
mkdir "$scratch"
trap 'rm -rf "$scratch"' EXIT

version=$(scripts/version.sh)
archive=$PWD/dist/keyplan-$version-linux-$(uname -m).tar.gz
deb=$(echo dist/keyplan_"$version"-1_*.deb)
rpm=$(echo dist/keyplan-"$version"-1.*.rpm)
for file in "$archive" "$deb" "$rpm"; do [[ -f $file ]] || { echo "dist-check: no $file: make dist" >&2; exit 1; }; done

skipped=()
has() { command -v "$1" >/dev/null || { skipped+=("$2 ($1 is missing)"); return 1; }; }
is_root() { ((EUID == 0)) || { skipped+=("$1 (needs root)"); return 1; }; }

policy() {
  if has lintian "Debian's policy"; then
    # The package closes no bug report; the spelling checker takes names of formats and Swift's symbols for misspelled words.
    lintian --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs,spelling-error-in-binary "$deb"
    echo "dist-check: lintian accepts $deb"
  fi
  if has rpm "the .rpm"; then
    rpm -qp --requires "$rpm"
    # It is a dynamic program: no library and no script requires anything else of the system.
    if rpm -qp --requires "$rpm" | grep -vE '^(libc\.so\.6\(GLIBC_2\.34\)\(64bit\)|libgcc_s\.so\.1\(\)\(64bit\)|rpmlib\(.*)$'; then
      echo "dist-check: the .rpm requires more than glibc" >&2
      exit 1
    fi
  fi
  if has rpmlint "rpm's policy"; then
    rpmlint --strict --config packaging/rpmlint.toml "$rpm"
  fi
}

# What a new user does, in a system that has nothing but its base. Swift reads arguments from /proc.
story='set -eu
test "$(keyplan --version)" = "$VERSION"
mkdir -p /root/project && cd /root/project && export HOME=/root
keyplan init --quiet
printf "version: 1\nkeys:\n  a: { provider: generic, source: \"dotenv://.env#A\", variable: A }\n" >keyplan.yaml
echo A=made-up-for-this-test >.env
keyplan apply --yes --quiet
test "$(keyplan get a | cat)" = made-up-for-this-test
keyplan doctor | grep -q "SQLite"'

roots() {
  has mmdebstrap "bare systems" && is_root "bare systems" || return 0
  local suite root code
  for suite in bookworm trixie; do
    root=$scratch/$suite
    mmdebstrap --quiet --variant=minbase "$suite" "$root.tar" "$mirror"
    mkdir "$root"
    tar -xf "$root.tar" -C "$root"
    tar -xzf "$archive" -C "$root/usr/local" --strip-components 1 --no-same-owner
    mount --bind /proc "$root/proc"
    code=0
    chroot "$root" env -i PATH=/usr/local/bin:/usr/bin:/bin VERSION="$version" sh -c "$story" || code=$?
    umount "$root/proc"
    ((code == 0)) || { echo "dist-check: the program fails in a bare $suite" >&2; exit 1; }
    echo "dist-check: the program works in a bare $suite, without $(missing "$root")"
    if has piuparts "installing and purging on $suite"; then
      gzip -1 "$root.tar"
      # apt makes this folder; the piuparts of Debian 12 does not know it from later systems.
      piuparts --ignore /var/cache/debconf/tmp.ci --ignore /var/cache/debconf/tmp.ci/ --no-eatmydata --basetgz="$root.tar.gz" -d "$suite" -m "$mirror main" "$deb" >"$scratch/piuparts.log" 2>&1 \
        || { tail -n 40 "$scratch/piuparts.log" >&2; exit 1; }
      tail -n 1 "$scratch/piuparts.log"
    fi
    rm -rf "$root" "$root".tar*
  done
}

# Which of the libraries that are loaded on first use a root does not have.
missing() {
  local library names=()
  for library in libcurl.so.4 libpq.so.5 libexpat.so.1 libcrypto.so.3; do
    [[ -n $(find "$1/usr/lib" -name "$library" -print -quit) ]] || names+=("$library")
  done
  echo "${names[*]:-anything missing}"
}

image() {
  has buildah "the image" && has mmdebstrap "the image" && is_root "the image" || return 0
  local root=$scratch/base made name
  mmdebstrap --quiet --variant=minbase bookworm "$root.tar" "$mirror"
  # Storage of its own: this machine's images are left alone.
  storage() { buildah --root "$scratch/storage" --runroot "$scratch/run" --storage-driver vfs "$@"; }
  made=$(storage from scratch)
  storage add --quiet "$made" "$root.tar" / >/dev/null
  storage commit --quiet "$made" localhost/debian:12 >/dev/null
  storage bud --quiet --isolation chroot --build-arg BASE=localhost/debian:12 --build-arg TARGETARCH="$(dpkg --print-architecture)" \
    --tag localhost/keyplan:test . >/dev/null
  name=$(storage from --pull-never localhost/keyplan:test)
  storage run --isolation chroot "$name" -- sh -c 'test "$(id -u)" = 65532 && test "$PWD" = /work'
  test "$(storage run --isolation chroot "$name" -- keyplan --version)" = "$version"
  storage run --isolation chroot "$name" -- sh -c 'keyplan init --quiet && keyplan doctor' | grep "loaded on first use: libcurl, libpq, libexpat"
  echo "dist-check: the image runs keyplan as another user than root"
}

# The packing and the program, twice. Both builds are in a folder of the same name: the compiler hashes its own command line into a section that
# is never loaded (swiftlang/swift#64188).
bytes() {
  local turn
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
}

# Packing twice gives the same files.
packing() {
  local program=$scratch/packed/bin/keyplan
  mkdir "$scratch/packed"
  tar -xzf "$archive" -C "$scratch/packed" --strip-components 1
  cp dist/SHA256SUMS "$scratch/sums"
  rm -rf dist
  scripts/dist.sh "$program" >/dev/null
  cmp "$scratch/sums" dist/SHA256SUMS
  echo "dist-check: the same packages twice"
}

parts=("$@")
((${#parts[@]} > 0)) || parts=(packing policy roots image bytes)
for part in "${parts[@]}"; do
  echo "==> $part"
  "$part"
done
if ((${#skipped[@]} > 0)); then
  echo "dist-check: ${#skipped[@]} SKIPPED: $(printf '%s; ' "${skipped[@]}")" >&2
fi
