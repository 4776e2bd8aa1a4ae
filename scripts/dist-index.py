#!/usr/bin/env python3
"""Writes what depends on all archives in dist/, which may come from several machines: the Homebrew formula, the Nix flake, the checksums."""
import gzip, hashlib, io, json, pathlib, re, sys, tarfile

root = pathlib.Path(__file__).resolve().parent.parent
dist = root / "dist"
repository = "https://github.com/" + (root / "packaging/repository").read_text().strip()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


archives, versions = {}, set()
for path in sorted(dist.glob("keyplan-*-linux-*.tar.gz")):
    version, machine = re.fullmatch(r"keyplan-(.+)-linux-(x86_64|aarch64)\.tar\.gz", path.name).groups()
    versions.add(version)
    archives[machine] = {"url": f"{repository}/releases/download/v{version}/{path.name}", "sha256": sha256(path)}
if len(versions) != 1:
    sys.exit(f"dist-index: dist/ has archives of {len(versions)} versions; remove dist/ and run make dist")
version = versions.pop()

blocks = "".join(
    f"    on_{name} do\n      url \"{archives[machine]['url']}\"\n      sha256 \"{archives[machine]['sha256']}\"\n    end\n"
    for machine, name in [("aarch64", "arm"), ("x86_64", "intel")] if machine in archives)
formula = (root / "packaging/homebrew/keyplan.rb").read_text()
(dist / "keyplan.rb").write_text(formula.replace("    # The archives.\n", blocks).replace("@version@", version))

# Nix can use a flake by the address of its archive.
release = {"version": version, "archives": {f"{machine}-linux": archives[machine] for machine in sorted(archives)}}
name = f"keyplan-{version}-nix"
with gzip.GzipFile(dist / f"{name}.tar.gz", "wb", mtime=0) as packed, \
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as flake:
    for file, data in [
        ("flake.nix", (root / "packaging/nix/flake.nix").read_bytes()),
        ("release.json", (json.dumps(release, indent=2) + "\n").encode()),
    ]:
        entry = tarfile.TarInfo(f"{name}/{file}")
        entry.size = len(data)
        flake.addfile(entry, io.BytesIO(data))

files = sorted(path for path in dist.iterdir() if path.is_file() and path.name != "SHA256SUMS")
(dist / "SHA256SUMS").write_text("".join(f"{sha256(path)}  {path.name}\n" for path in files))
