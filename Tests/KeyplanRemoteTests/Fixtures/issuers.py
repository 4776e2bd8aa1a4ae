"""A fake of the providers that make keys, on loopback: requests and answers as issuers.json lists them.

Each test has an instance of its own: the first two segments of the path, `/i/NAME`. An instance keeps the keys that were
made, the requests that arrived, and the faults that are due. Its pages have two entries, whatever was asked for.

    POST /i/NAME/_/fault      a fault, as JSON: see `Instance.due`
    POST /i/NAME/_/recover    no more faults
    POST /i/NAME/_/mode       {"mode": ...}: see `Instance.mode`
    GET  /i/NAME/_/requests   the requests since the last time this was asked
    GET  /i/NAME/_/keys       the keys, by provider
    GET  /i/NAME/_/values     the values of all keys that were ever made
    POST /i/NAME/_/token      {"value": ...}: the credential that is accepted in the place of `good`
    POST /i/NAME/_/make       {"provider": ..., "name": ...}: a key that somebody makes by hand; answers with its id
    POST /i/NAME/_/kill       {"pid": FILE, "skip": NUMBER, "after": BOOLEAN}: kills the process whose number is in the file at its
                              next request but for the first ones, before the request is processed or before its answer is sent
    POST /i/NAME/_/watch      {"files": [...]}: see `Instance.look`
    GET  /i/NAME/_/watched    how often the files were looked at, what did not work, and whether a process is still to be killed

In the table's bodies, a text that begins with `$` is one of the values of `values`.
"""
import base64
import itertools
import json
import os
import pathlib
import re
import secrets
import signal
import threading
import time
import urllib.parse

import loopback

TABLE = json.loads(pathlib.Path(__file__).with_name("issuers.json").read_text())
TICKS = itertools.count(1)
PAGE = 2


class Instance:
    def __init__(self):
        self.keys = {name: [] for name in TABLE}
        self.faults, self.requests = [], []
        # full: no further key is made; endless: each page has a next one; foreign: the next page is at another host;
        # short: the total is more than what is listed; twice: each page begins with the entry before; cut: there is more,
        # and no cursor; young: see `check`; late: a new key is missing from the first two lists.
        self.mode = None
        self.token, self.values, self.deadly = "good", [], None
        self.files, self.looks, self.broken = [], 0, []
        self.lock = threading.Lock()

    def due(self, method):
        """kind: `answer` (status, headers, body), `drop` (before it is processed), `dropAfter` (after it was)."""
        for fault in self.faults:
            if method not in (fault.get("methods") or [method]) or fault.get("writes") and method == "GET":
                continue
            if fault.get("skip", 0) > 0:
                fault["skip"] -= 1
            elif fault.get("times", 1) > 0:
                fault["times"] = fault.get("times", 1) - 1
                return fault
        return None

    def dies(self):
        """What kills the process that sent this request; None if nothing does."""
        if self.deadly and self.deadly["skip"] == 0:
            deadly, self.deadly = self.deadly, None
            return deadly
        if self.deadly:
            self.deadly["skip"] -= 1
        return None

    def works(self, held):
        """Whether these are the values of one key that is accepted."""
        return any(
            set(held) <= {key["id"], key["value"], credentials(key)} and set(held) != {key["id"]}
            for keys in self.keys.values() for key in keys if held and not key["disabled"] and "status" not in key)

    def look(self):
        """Looks for a file of a target, as JSON, whose values do not work."""
        for file in self.files:
            held = contents(file)
            # Between reading and asking, the value can have been replaced and its key revoked.
            if not self.works(held) and contents(file) == held:
                self.broken = (self.broken + [{"file": file, "held": held}])[:9]
        self.looks += 1


def credentials(key):
    return json.dumps({"type": "service_account", "private_key": key["value"]})


def contents(file):
    try:
        return sorted(json.loads(pathlib.Path(file).read_text()).values())
    except (OSError, ValueError):
        return []


INSTANCES = {}
LOCK = threading.Lock()


def watch():
    """Files change between requests, too."""
    while True:
        time.sleep(0.01)
        with LOCK:
            watched = [instance for instance in INSTANCES.values() if instance.files]
        for instance in watched:
            with instance.lock:
                instance.look()


def fill(template, values):
    if isinstance(template, str) and template.startswith("$"):
        return values[template[1:]]
    if isinstance(template, str):
        return re.sub(r"\$(id)\b", lambda match: values[match[1]], template)
    if isinstance(template, list):
        return [fill(item, values) for item in template]
    if isinstance(template, dict):
        return {name: fill(item, values) for name, item in template.items()}
    return template


def at(tree, path):
    for name in path.split("."):
        tree = tree.get(name) if isinstance(tree, dict) else None
    return tree


def has_shape(wanted, sent):
    """Whether a body has the members that it must have, and no others than those that are known."""
    return isinstance(sent, dict) and set(wanted["required"]) <= set(sent) <= set(wanted["required"] + wanted.get("optional", []))


class Refusal(Exception):
    def __init__(self, status, body, headers=None):
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers or {}


class Request:
    def __init__(self, handler):
        parts = urllib.parse.urlsplit(handler.path)
        _, _, name, rest = (parts.path + "/").split("/", 3)
        self.method, self.path, self.headers = handler.command, "/" + rest[:-1], handler.headers
        self.prefix = f"/i/{name}"
        self.origin = f"http://{handler.headers['host']}"
        self.query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        raw = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        is_form = "form" in (handler.headers.get("content-type") or "")
        if is_form:
            self.body = dict(urllib.parse.parse_qsl(raw.decode(), keep_blank_values=True))
        else:
            try:
                self.body = json.loads(raw) if raw else None
            except ValueError:
                self.body = None
        with LOCK:
            self.instance = INSTANCES.setdefault(name, Instance())


def authorize(entry, request):
    """A token is good, limited, or rejected."""
    given = request.headers.get(entry["auth"]["header"]) or ""
    if given == entry["auth"]["limited"]:
        raise Refusal(entry["denied"]["status"], entry["denied"]["body"])
    good = entry["auth"]["good"]
    if good.startswith("Basic "):
        text = base64.b64decode(good[6:]).decode().replace("good", request.instance.token)
        good = "Basic " + base64.b64encode(text.encode()).decode()
    if given != good.replace("good", request.instance.token):
        raise Refusal(entry["unauthenticated"]["status"], entry["unauthenticated"]["body"])


def values(request, entry, key):
    number = key["number"]
    return {
        "id": key["id"], "name": key["name"], "value": key["value"], "disabled": key["disabled"],
        "status": "disabled" if key["disabled"] else "active", "archivable": key.get("status", "active"),
        "time": f"2026-11-25T10:{number // 60 % 60:02}:{number % 60:02}Z", "seconds": 1_795_600_000 + number,
        "base64": base64.b64encode(credentials(key).encode()).decode(), "system": "USER_MANAGED",
    }


def make(instance, name, entry, label):
    number = next(TICKS)
    key = {
        "id": fill(entry["id"], {}).replace("#", f"{number:08x}"), "name": label, "number": number, "disabled": False,
        "value": f"canary-{secrets.token_hex(16)}", "late": 2 if instance.mode == "late" else 0}
    instance.keys[name].append(key)
    instance.values.append(key["value"])
    return key


def find(request, name, entry, id):
    for key in request.instance.keys[name]:
        if key["id"] == id and key.get("status") != "archived":
            return key
    raise Refusal(entry["missing"]["status"], entry["missing"]["body"])


def mint(request, name, entry):
    wanted = entry["mint"]
    if not has_shape(wanted["members"], request.body):
        raise Refusal(400, {"wrong": "members"})
    if request.instance.mode == "full":
        raise Refusal(entry["quota"]["status"], entry["quota"]["body"])
    expires = at(request.body, wanted["expires"]) if "expires" in wanted else None
    # Vendors take other forms, too, but this one is in all their documents.
    if expires is not None and not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", expires):
        raise Refusal(400, {"wrong": "expires"})
    label = at(request.body, wanted["label"]) if "label" in wanted else None
    if "label" in wanted and not isinstance(label, str):
        raise Refusal(400, {"wrong": "label"})
    if "longest" in wanted and len(label) > wanted["longest"]:
        raise Refusal(400, {"wrong": "the label is too long"})
    key = make(request.instance, name, entry, label)
    shown = {**values(request, entry, key), "expires": expires or wanted.get("latest")}
    return wanted["status"], fill(wanted["body"], shown)


def listing(request, name, entry):
    wanted, pages = entry["list"], entry["list"].get("pages", {})
    if not set(wanted.get("query", {}).items()) <= set(request.query.items()):
        raise Refusal(400, {"wrong": "query"})
    mode = request.instance.mode
    keys = [key for key in request.instance.keys[name] if not key["late"]]
    for key in request.instance.keys[name]:
        key["late"] = max(0, key["late"] - 1)
    start, size = 0, len(keys)
    kind = pages.get("kind")
    given = request.query.get(pages.get("query"))
    if kind:
        size = PAGE
    if kind == "after" and given:
        start = 1 + next((index for index, key in enumerate(keys) if key["id"] == given), len(keys))
    if kind == "offset":
        start = int(given or 0)
    if kind in ("page", "url"):
        start = (int(given or pages["first"]) - pages["first"]) * size
    if mode == "endless" and kind:
        keys = [make(request.instance, name, entry, "x") for _ in range(size)]
        request.instance.keys[name] = []
        start = 0
    if mode == "twice" and start:
        start -= 1
    some = keys[start:start + size]
    more = start + size < len(keys) or mode == "endless"
    shown = [fill(wanted["entry"], values(request, entry, key)) for key in some]
    if "own" in wanted:
        shown.append(fill(wanted["own"], {}))
    after = None
    if more and kind == "url":
        here = request.origin if pages.get("absolute") else ""
        if mode == "foreign":
            here = "http://127.0.0.1:9"
        page = start // size + 1 + pages["first"]
        after = f"{here}{request.prefix}{request.path}?" + urllib.parse.urlencode({pages["query"]: page + next(TICKS) * (mode == "endless")})
    total = len(request.instance.keys[name]) + (mode == "short")
    found = {
        "entries": shown, "more": more, "last": some[-1]["id"] if some and mode != "cut" else None,
        "first": some[0]["id"] if some else None, "next": after, "total": total}
    body = fill(wanted["body"], found)
    if kind == "url" and after is None and "drop" in pages:
        body["links"]["pages"] = {}
    return 200, body


def change(request, name, entry, operation, id):
    wanted = entry[operation]
    if "members" in wanted and not has_shape(wanted["members"], request.body):
        raise Refusal(400, {"wrong": "members"})
    if "in" in wanted:
        id = next((request.body[name] for name in wanted["in"] if name in request.body), None)
    key = find(request, name, entry, id)
    if operation == "disable":
        key["disabled"] = True
    elif entry.get("archives"):
        key["status"] = "archived"
    else:
        request.instance.keys[name].remove(key)
    return wanted["status"], fill(wanted["body"], values(request, entry, key)) if "body" in wanted else None


def check(request):
    """What OpenRouter and OpenAI say of a key. In the mode `young` they know a new one only when they are asked for the third time."""
    name = {"/api/v1/key": "openrouter", "/v1/models": "openai"}.get(request.path)
    if request.method != "GET" or name is None:
        return None
    given = (request.headers.get("authorization") or "").removeprefix("Bearer ")
    for key in request.instance.keys[name]:
        if key["value"] == given and not key["disabled"]:
            key["checks"] = key.get("checks", 0) + 1
            if request.instance.mode != "young" or key["checks"] > 2:
                return 200, {"data": {"label": "sk-or-v1-...", "limit_remaining": None}}
    return 401, {"error": {"code": 401 if name == "openrouter" else "invalid_api_key", "message": "User not found."}}


def sign_in(request):
    """The token endpoint of Microsoft: the token is the secret of the client."""
    if request.path == "/tenant/oauth2/v2.0/token" and request.method == "POST":
        return 200, {"token_type": "Bearer", "expires_in": 3599, "access_token": request.body["client_secret"]}
    return None


def respond(request):
    for name, entry in TABLE.items():
        for operation in ("mint", "list", "disable", "revoke"):
            wanted = entry.get(operation)
            if not wanted or wanted.get("method", "GET") != request.method:
                continue
            for path in [wanted["path"]] + wanted.get("paths", []):
                match = re.fullmatch(re.escape(path).replace(r"\{id\}", "([^/]+)"), request.path)
                if match and all(request.body and request.body.get(k) == v for k, v in wanted.get("when", {}).items()):
                    authorize(entry, request)
                    if entry.get("mergesQuery"):
                        request.body = {**request.query, **(request.body or {})}
                    if operation == "mint":
                        return mint(request, name, entry)
                    if operation == "list":
                        return listing(request, name, entry)
                    return change(request, name, entry, operation, urllib.parse.unquote(match[1]) if match.groups() else None)
    raise Refusal(404, {"wrong": "path"})


class Handler(loopback.Handler):
    def answer(self):
        request = Request(self)
        instance = request.instance
        with instance.lock:
            if request.path.startswith("/_/"):
                return self.control(request, instance)
            instance.requests.append({"method": request.method, "path": request.path})
            deadly = instance.dies()
            if deadly and not deadly["after"]:
                return self.kill(deadly["pid"])
            fault = instance.due(request.method)
            if fault and fault["kind"] == "answer":
                return self.send(fault["status"], fault.get("headers"), fault.get("body", "").encode())
            if fault and fault["kind"] == "drop":
                return self.drop()
            try:
                status, body = check(request) or sign_in(request) or respond(request)
                headers = {}
            except Refusal as refusal:
                status, body, headers = refusal.status, refusal.body, refusal.headers
            instance.look()
            if deadly:
                return self.kill(deadly["pid"])
            if fault:
                return self.drop()
            self.send(status, headers, b"" if body is None else json.dumps(body).encode())

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

    def control(self, request, instance):
        name = request.path[3:]
        if name == "fault":
            instance.faults.append(request.body)
        elif name == "recover":
            instance.faults, instance.mode = [], None
        elif name == "mode":
            instance.mode = request.body["mode"]
        elif name == "requests":
            seen, instance.requests = instance.requests, []
            return self.send(200, None, json.dumps(seen).encode())
        elif name in ("keys", "values"):
            return self.send(200, None, json.dumps(getattr(instance, name)).encode())
        elif name == "token":
            instance.token = request.body["value"]
        elif name == "make":
            key = make(instance, request.body["provider"], TABLE[request.body["provider"]], request.body["name"])
            return self.send(200, None, json.dumps(key["id"]).encode())
        elif name == "kill":
            instance.deadly = request.body
        elif name == "watch":
            instance.files, instance.looks, instance.broken = request.body["files"], 0, []
        elif name == "watched":
            if instance.files:
                instance.look()
            found = {"looks": instance.looks, "broken": instance.broken, "isArmed": instance.deadly is not None}
            return self.send(200, None, json.dumps(found).encode())
        self.send(200, None, b"{}")

    def kill(self, file):
        os.kill(int(pathlib.Path(file).read_text()), signal.SIGKILL)
        # Until its end is seen, it could still read an answer.
        try:
            self.rfile.read()
        except OSError:
            pass
        self.close_connection = True


threading.Thread(target=watch, daemon=True).start()
loopback.serve(Handler)
