#!/usr/bin/env python3
"""Gives back every value of a keyplan store, without keyplan.

    restore.py STORE IDENTITY

STORE is the store's file, IDENTITY an age identity file that opens it. Needs the program `age` and Python's
`cryptography`. Writes JSON to stdout, values included: redirect it to a file that only you can read.
It follows docs/store-format.md; the section numbers below are those of that document.
"""

import hashlib
import hmac
import json
import sqlite3
import struct
import subprocess
import sys

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def fail(words):
    sys.exit("restore.py: " + words)


def fields(*values):
    """Section 3: each field behind its length; numbers are eight bytes."""
    out = b""
    for value in values:
        if isinstance(value, str):
            value = value.encode()
        elif isinstance(value, int):
            value = struct.pack(">q", value)
        out += struct.pack(">I", len(value)) + value
    return out


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def expand(key, info, count):
    """HKDF-Expand (RFC 5869) with SHA-256."""
    out, block, number = b"", b"", 1
    while len(out) < count:
        block = mac(key, block + info + bytes([number]))
        out, number = out + block, number + 1
    return out[:count]


class Keys:
    """Section 3: the subkeys of an epoch."""

    def __init__(self, root, store, epoch):
        prk = mac(store, root)  # HKDF-Extract
        for name in ["meta", "enc", "mac", "idx", "fp", "plan", "rows", "sign"]:
            setattr(self, name, expand(prk, f"keyplan/kp1/{name}/{epoch}".encode(), 32))
        self.store, self.epoch = store, epoch
        self.public = Ed25519PrivateKey.from_private_bytes(self.sign).public_key()
        raw = self.public.public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.root_id = hashlib.sha256(fields("keyplan/kp1/root-id", store, epoch, raw)).digest()[:16]
        self.groups = {}

    def add_group(self, opened):
        """Section 2: a key for values that only some recipients can open."""
        prk = mac(self.store, bytes.fromhex(opened["key"]))  # HKDF-Extract
        self.groups[bytes.fromhex(opened["group"])] = expand(prk, f"keyplan/kp1/group/{self.epoch}".encode(), 32)

    def row_id(self, kind, name):
        return mac(self.idx, fields(kind, name))[:16]

    def associated(self, algorithm, table, record, kind, field, revision, created):
        return fields("kp1", self.store, self.epoch, algorithm, table, record, kind, field, revision, created)


def unpad(padded):
    """Section 4."""
    (count,) = struct.unpack(">I", padded[:4])
    return padded[4 : 4 + count]


def open_record(keys, row):
    """Section 4.1."""
    row_id, epoch, algorithm, sealed = row
    if (epoch, algorithm) != (keys.epoch, 1):
        fail("a record has an unknown epoch or algorithm")
    data = keys.associated(1, "records", row_id, "", "metadata", 0, 0)
    return unpad(AESGCM(keys.meta).decrypt(sealed[:12], sealed[12:], data))


def find_value(keys, database, name, salt):
    row = database.execute("SELECT epoch, algorithm, sealed FROM secrets WHERE id = ?", [keys.row_id("value", salt)])
    epoch, algorithm, sealed = row.fetchone() or fail(f"the value of {name} is gone")
    if (epoch, algorithm) != (keys.epoch, 2):
        fail("a value has an unknown epoch or algorithm")
    return sealed


def open_sealed(key, sealed, salt, data, name):
    both = expand(key, salt + data, 64)
    if not hmac.compare_digest(both[32:], sealed[:32]):
        fail(f"the value of {name} was sealed under another key")
    return unpad(AESGCM(both[:32]).decrypt(bytes(12), sealed[32:], data))


def open_tokens(keys, database, account):
    """Section 4.2, with what is inside."""
    salt, serial = account["tokens"]
    name = account["name"]
    data = keys.associated(2, "secrets", keys.row_id("account", name), "account", "tokens", serial, 0)
    content = open_sealed(keys.enc, find_value(keys, database, name, salt), salt, data, name)
    if content[0] != 1:
        fail("tokens are of an unknown version")
    found, at = {}, 1
    for token in ("access_token", "refresh_token"):
        at += 1
        if content[at - 1] == 0:
            continue
        (count,) = struct.unpack(">I", content[at : at + 4])
        found[token] = content[at + 4 : at + 4 + count].decode()
        at += 4 + count
    return found


def open_value(keys, database, name, version, group):
    """Section 4.2."""
    salt = version["salt"]
    sealed = find_value(keys, database, name, salt)
    record = keys.row_id("key", name)
    data = keys.associated(2, "secrets", record, "key", "secret", version["number"], version["stored"])
    key = keys.enc
    if group is not None:
        key, data = keys.groups[group], data + fields(group)
    value = open_sealed(key, sealed, salt, data, name)
    print_of = mac(keys.fp, fields(record, "secret", value))[:16]
    if print_of != version["fingerprint"]:
        fail(f"the value of {name} has another fingerprint than is recorded")
    return value


class Reader:
    """The notation of section 5."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def raw(self, count):
        self.at += count
        return self.data[self.at - count : self.at]

    def unsigned(self):
        result = shift = 0
        while True:
            byte = self.raw(1)[0]
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result

    def number(self):
        zigzag = self.unsigned()
        return zigzag >> 1 if zigzag & 1 == 0 else -(zigzag >> 1) - 1

    def text(self):
        return self.raw(self.unsigned()).decode()


class Fields:
    """Section 5: a record, by the numbers of its fields."""

    def __init__(self, data):
        reader, self.found = Reader(data), {}
        while reader.at < len(data):
            number = reader.unsigned()
            content = reader.raw(reader.unsigned())
            self.found.setdefault(number, []).append(content)
        if reader.at != len(data):
            fail("a record ends before it is complete")

    def check(self, known):
        """A field that is not known changes what the others mean if its number is odd."""
        for number in self.found:
            if number > known and number % 2 == 1:
                fail("a record has a field of a later version")

    def list(self, number, read):
        return [read(content) for content in self.found.get(number, [])]

    def one(self, number, read):
        return next(iter(self.list(number, read)), None)

    def text(self, number):
        return self.one(number, bytes.decode)

    def number(self, number):
        return self.one(number, lambda content: Reader(content).number())

    def flag(self, number):
        return number in self.found

    def pairs(self, number):
        def pair(content):
            reader = Reader(content)
            name = reader.text()
            return name, content[reader.at :].decode()

        return dict(self.list(number, pair))


def read_key(data):
    fields = Fields(data)
    fields.check(23)
    sources = fields.list(10, bytes.decode)

    def expiry(content):
        parts = Fields(content)
        parts.check(6)
        kind = "after" if parts.flag(1) else "on"
        return {kind: parts.number(1 if parts.flag(1) else 2), "warn": parts.number(3), "then": parts.text(4)}

    def exposure(content):
        parts = Fields(content)
        return {"recipient": parts.text(1), "since": parts.number(2)}

    def revocation(content):
        parts = Fields(content)
        parts.check(4)
        return {"version": parts.number(2), "at": parts.number(3), "reason": parts.text(4)}

    def check(content):
        parts = Fields(content)
        parts.check(3)
        return {"outcome": parts.text(1), "at": parts.number(2), "expires": parts.number(3)}

    def group(content):
        parts = Fields(content)
        parts.check(2)
        return {"id": parts.one(1, bytes), "recipients": parts.list(2, bytes.decode)}

    def part(content):
        parts = Fields(content)
        parts.check(3)
        return {"key": parts.text(1), "version": parts.number(2), "stored": parts.number(3)}

    def version(content):
        parts = Fields(content)
        parts.check(15)
        index = parts.number(4)
        return {
            "number": parts.number(1), "fingerprint": parts.one(2, bytes), "stored": parts.number(3),
            "origin": parts.text(5) if index is None else sources[index], "salt": parts.one(6, bytes),
            "exposed": parts.list(8, exposure), "check": parts.one(10, check), "made_of": parts.list(15, part),
        }

    key = {
        "name": fields.text(1), "revision": fields.number(2), "provider": fields.text(3), "model": fields.text(4),
        "variable": fields.text(5), "expiry": fields.one(8, expiry), "issued": fields.number(9), "sources": sources,
        "labels": fields.pairs(11), "versions": fields.list(12, version) + fields.list(13, version),
        "retired": fields.number(14), "revoked": fields.list(19, revocation),
        "group": fields.one(21, group),
    }
    return key, fields.number(17)


def read_account(data):
    fields = Fields(data)
    fields.check(12)

    def calendar(content):
        parts = Fields(content)
        parts.check(3)
        return {"id": parts.text(1), "name": parts.text(2), "primary": parts.flag(3)}

    def end(content):
        parts = Fields(content)
        parts.check(3)
        return {"reason": parts.text(1), "code": parts.text(2), "at": parts.number(3)}

    def sign_in(content):
        parts = Fields(content)
        parts.check(14)
        return {
            "signed_in": parts.number(1), "refreshed": parts.number(2), "access_until": parts.number(3),
            "refreshable": parts.flag(5), "testing": parts.flag(6), "missing": parts.list(7, bytes.decode),
            "ends": parts.number(8), "epoch": parts.number(9), "refresh_began": parts.number(10),
            "unanswered": parts.number(11), "ended": parts.one(12, end), "refresh_at": parts.number(14),
        }

    account = {
        "name": fields.text(1), "revision": fields.number(2), "service": fields.text(3), "account": fields.text(4),
        "client": fields.text(5), "tenant": fields.text(6), "url": fields.text(7), "endpoints": fields.pairs(8),
        "calendar": fields.one(9, calendar), "sign_in": fields.one(10, sign_in), "tokens": None,
    }
    if fields.flag(11):
        account["tokens"] = (fields.one(11, bytes), fields.number(12))
    return account


def read_record(data):
    """Section 5: the kind, what is of interest in it, and when it was forgotten."""
    encoding, kind = data[0], data[1]
    if encoding != 1 or kind > 5:
        fail("a record is of an unknown version or kind")
    if kind not in (1, 4, 5):
        return kind, None, None
    return (kind, read_account(data[2:]), None) if kind == 5 else (kind, *read_key(data[2:]))


def verify(keys, header, keyring, rows):
    """Section 6: the digest."""
    form, store, serial, epoch, count, buckets, root = header
    data = fields("root", form, 1, store, serial, epoch, count, buckets)
    for slot, file in keyring:
        data += fields(slot, file)
    signature = root[32:]
    if not hmac.compare_digest(mac(keys.mac, data + signature), root[:32]) or count != len(rows):
        fail("the store's header does not authenticate")
    keys.public.verify(signature, data)
    for bucket in range(256):
        members = [row for row in rows if row[0][0] == bucket]
        data = fields("bucket", bucket) + b"".join(fields(*row) for row in members)
        expected = mac(keys.rows, data)[:16] if members else bytes(16)
        if not hmac.compare_digest(expected, buckets[16 * bucket : 16 * bucket + 16]):
            fail("the store's rows do not authenticate")


def restore(path, identity):
    database = sqlite3.connect(f"file:{path.replace('?', '%3f').replace('#', '%23')}?mode=ro", uri=True)
    header = database.execute("SELECT format, id, serial, epoch, count, buckets, root FROM store").fetchone()
    # What was moved away from here is still whole; what is on its way to here may not be (section 8).
    form, _, mark = header[0].split(" ")[0].partition("-")
    if form != "kp1" or mark not in ("", "moved"):
        fail("the store is of another format than kp1")
    keyring = database.execute("SELECT slot, file FROM keyring ORDER BY slot").fetchall()
    def open_slot(name):
        """Section 2: one file for each class of recipients. The JSON, or why there is none."""
        why = b""
        for slot in (name, name + "-pq"):
            if slot not in dict(keyring):
                continue
            age = subprocess.run(["age", "--decrypt", "-i", identity], input=dict(keyring)[slot], capture_output=True)
            if age.returncode == 0:
                return json.loads(age.stdout), None
            why = age.stderr
        return None, why.decode()

    opened, why = open_slot("full")
    if opened is None:
        fail("age does not open the keyring: " + why)
    keys = Keys(bytes.fromhex(opened["root"]), bytes.fromhex(opened["store"]), opened["epoch"])
    rows = database.execute("SELECT id, epoch, algorithm, sealed FROM records ORDER BY id").fetchall()
    verify(keys, header, keyring, rows)
    for slot, _ in keyring:
        group = open_slot(slot)[0] if slot.startswith("group-") and not slot.endswith("-pq") else None
        if group is not None:
            keys.add_group(group)

    result = {"store": opened["store"], "root_id": keys.root_id.hex(), "serial": header[2]}
    result.update({"keys": [], "forgotten": [], "accounts": []})
    for row in rows:
        kind, key, forgotten_at = read_record(open_record(keys, row))
        if kind == 5:
            if key["tokens"] is not None:
                key["tokens"] = open_tokens(keys, database, key)
            result["accounts"].append(key)
        if kind not in (1, 4):
            continue
        # Values that are only for others are left out.
        group = key.pop("group", None) or {"id": None, "recipients": None}
        is_open = group["id"] is None or group["id"] in keys.groups
        if group["id"] is not None:
            key["recipients"] = group["recipients"]
        for version in key["versions"]:
            if version["salt"] is None or not is_open:
                continue
            value = open_value(keys, database, key["name"], version, group["id"])
            try:
                version["value"] = value.decode()
            except UnicodeDecodeError:
                version["value_hex"] = value.hex()
        for version in key["versions"]:
            del version["salt"], version["fingerprint"]
        if forgotten_at is None:
            result["keys"].append(key)
        else:
            result["forgotten"].append(dict(key, forgotten=forgotten_at))
    for part in ("keys", "forgotten", "accounts"):
        result[part].sort(key=lambda key: key["name"])
    return result


if __name__ == "__main__":
    if len(sys.argv) != 3:
        fail("usage: restore.py STORE IDENTITY")
    try:
        json.dump(restore(sys.argv[1], sys.argv[2]), sys.stdout, indent=2)
        print()
    except InvalidTag:
        fail("a row does not authenticate")
    except InvalidSignature:
        fail("the store's header has a wrong signature")
    except sqlite3.DatabaseError as error:
        fail(f"the store cannot be read: {error}")
