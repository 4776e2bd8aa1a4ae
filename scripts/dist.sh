#!/usr/bin/env bash
# Packs the release program for this machine's architecture into dist/: dist.sh PROGRAM
# The same program from the same commit gives the same files. `make dist` calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=$1
tools=$PWD/.build-dist/bin
version=$("$program" --version)
machine=$(uname -m)
case $machine in
  x86_64) debian=amd64 ;;
  aarch64) debian=arm64 ;;
  *) echo "dist: no packages for $machine" >&2; exit 1 ;;
esac
# The time of the commit, in all that is packed.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C

scripts/binary-check.sh "$program"

mkdir -p dist
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022

# The archive: a folder with bin/ and share/, to be unpacked into ~/.local or /usr/local.
name=keyplan-$version-linux-$machine
PREFIX=/ DESTDIR="$work/$name" scripts/install.sh "$program" >/dev/null
[[ -f $work/$name/share/man/man1/keyplan.1 ]] || { echo "dist: no man pages" >&2; exit 1; }
install -d "$work/$name/share/doc/keyplan"
install -m 644 LICENSE CHANGELOG.md packaging/copyright docs/upgrading.md "$work/$name/share/doc/keyplan/"
tar --create --directory "$work" --sort=name --format=ustar --owner=0 --group=0 --numeric-owner \
  --mtime="@$SOURCE_DATE_EPOCH" "$name" | gzip -n -9 >"dist/$name.tar.gz"

# The packages: the same files where a distribution has them, as nfpm.yaml lists them.
tree=$work/tree
cp -R "$work/$name" "$tree"
find "$tree/share/man" -name '*.1' -exec gzip -n -9 {} +
# Completions are read by a shell, not run.
sed -i '1{/^#!/d}' "$tree/share/bash-completion/completions/keyplan"
cat >"$tree/lintian-overrides" <<'END'
# One program serves several distributions. The package's copyright and the release's SBOM name what is linked in.
keyplan: embedded-library libyaml [usr/bin/keyplan]
END
gzip -n -9 -c CHANGELOG.md >"$tree/changelog.gz"
gzip -n -9 >"$tree/changelog.Debian.gz" <<END
keyplan ($version-1) unstable; urgency=medium

  * Release $version; see changelog.gz.

 -- The keyplan authors <keyplan@users.noreply.github.com>  $(date -R -d "@$SOURCE_DATE_EPOCH")
END
cat >"$tree/changelog.yaml" <<END
- semver: $version-1
  date: $(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%dT%H:%M:%SZ)
  packager: The keyplan authors <keyplan@users.noreply.github.com>
  changes:
    - note: Release $version; see CHANGELOG.md
END
for kind in deb rpm; do
  cp packaging/nfpm.yaml "$work/nfpm.yaml"
  if [[ $kind == rpm ]]; then
    # nfpm expands no pattern in a list of documentation.
    for page in "$tree"/share/man/man1/*.gz; do
      printf '  - { src: %s, dst: /usr/share/man/man1/%s, type: doc, file_info: { mode: 0644 } }\n' "$page" "${page##*/}"
    done >>"$work/nfpm.yaml"
    # Its form of Debian's change log is malformed, so that is made above.
    echo "changelog: $tree/changelog.yaml" >>"$work/nfpm.yaml"
  fi
  (cd "$tree" && KEYPLAN_VERSION=$version KEYPLAN_ARCH=$debian "$tools/nfpm" package --config "$work/nfpm.yaml" \
    --packager "$kind" --target "$OLDPWD/dist/" >/dev/null)
done

"$tools/python" scripts/sbom.py "$program" "$version" >"dist/$name.spdx.json"

scripts/dist-index.py
echo "dist: $(cd dist && find . -type f -printf '%f ' | sort)"
