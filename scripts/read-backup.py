#!/usr/bin/env python3
"""Gives back the current values of a keyplan backup, without keyplan.

    read-backup.py BACKUP IDENTITY

Needs the program `age`. Writes JSON to stdout, values included: redirect it to a file that only you can read.
It follows docs/backup.md.
"""

import base64
import hashlib
import hmac
import json
import subprocess
import sys


def main(backup, identity):
    text = subprocess.run(["age", "-d", "-i", identity, backup], check=True, stdout=subprocess.PIPE).stdout
    content = json.loads(text)
    if content["format"] != "keyplan-backup" or content["formatVersion"] != 1:
        sys.exit("read-backup.py: this is not a backup of format 1")
    root, store = bytes.fromhex(content["rootKey"]), bytes.fromhex(content["store"])
    prk = hmac.new(store, root, hashlib.sha256).digest()  # HKDF-Extract, then one block of HKDF-Expand
    info = f"keyplan/kp1/backup/{content['epoch']}".encode()
    key = hmac.new(prk, info + b"\x01", hashlib.sha256).digest()
    covered = text.rsplit(b',"mac":', 1)[0]
    if not hmac.compare_digest(hmac.new(key, covered, hashlib.sha256).hexdigest(), content["mac"]):
        sys.exit("read-backup.py: the backup was changed")
    found = {}
    for record in content["records"]:
        for value in record.get("values", []):
            data = value["text"] if "text" in value else {"base64": value["base64"]}
            if "base64" in value:
                base64.b64decode(value["base64"], validate=True)
            if value.get("isCurrent") and record["kind"] == "key":
                found[record["name"]] = data
            if "token" in value:
                found[f"{record['name']} {value['token']}"] = data
    json.dump(found, sys.stdout, ensure_ascii=False, sort_keys=True)
    print()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
