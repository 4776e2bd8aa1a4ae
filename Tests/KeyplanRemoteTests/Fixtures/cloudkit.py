"""A fake of CloudKit Web Services, as far as records of a public database are concerned. Each test has a container of its own.

It verifies signatures with the package `cryptography`. The API token `good` may read.

    GET  /_/key                   the private key, as JSON: sec1, pkcs8
    POST /_/CONTAINER/fault       a fault, as JSON: operation, status, headers, body, drop, after, skip, times
    POST /_/CONTAINER/errors      errors of single records, as JSON: by name, a list of errors
    POST /_/CONTAINER/put         a record, as JSON: recordName, recordType, fields
    POST /_/CONTAINER/set         settings, as JSON: page, lag (queries do not find what modify creates)
    GET  /_/CONTAINER/requests    the operations since the last time this was asked, with the number of their records
    GET  /_/CONTAINER/records     all records
"""
import base64
import datetime
import hashlib
import http.server
import itertools
import json
import os
import sys
import threading
import urllib.parse

import loopback

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
except ImportError:
    python = os.environ.get("KEYPLAN_TEST_PYTHON")
    if not python or os.environ.get("KEYPLAN_FAKE_STARTED"):
        raise
    os.environ["KEYPLAN_FAKE_STARTED"] = "1"
    os.execv(python, [python] + sys.argv)

KEY = ec.generate_private_key(ec.SECP256R1())
KEY_ID = "0123abcd"
STATUS = {"ACCESS_DENIED": 403, "AUTHENTICATION_FAILED": 401, "AUTHENTICATION_REQUIRED": 421, "BAD_REQUEST": 400,
          "NOT_FOUND": 404}
TYPES = {"Keys": ("name", "key"), "Secrets": ("title", "content")}
CONTAINERS = {}
LOCK = threading.Lock()
TICKS = itertools.count(1)


class Failure(Exception):
    def __init__(self, code, reason):
        super().__init__(code)
        self.status, self.body = STATUS[code], {"uuid": "0", "serverErrorCode": code, "reason": reason}


class Container:
    def __init__(self):
        self.records, self.faults, self.errors, self.requests = {}, [], {}, []
        self.page, self.lag, self.hidden = 200, False, set()

    def due(self, operation):
        for fault in self.faults:
            if fault.get("operation", operation) != operation:
                continue
            if fault.get("skip", 0) > 0:
                fault["skip"] -= 1
                return None
            if fault.get("times", 1000) > 0:
                fault["times"] = fault.get("times", 1000) - 1
                return fault
        return None

    def shown(self, record, keys):
        fields = {name: value for name, value in record["fields"].items() if keys is None or name in keys}
        return {**record, "fields": fields, "created": {"timestamp": 1}, "modified": {"timestamp": 2}}

    def query(self, body):
        query = body["query"]
        kind = query["recordType"]
        if kind not in TYPES:
            raise Failure("BAD_REQUEST", "Did not find record type: " + kind)
        [test] = query["filterBy"]
        if test["fieldName"] != TYPES[kind][0]:
            raise Failure("BAD_REQUEST", "Field '%s' is not marked queryable" % test["fieldName"])
        value = test["fieldValue"]
        if test["comparator"] != "IN" or value["type"] != "STRING_LIST" or len(value["value"]) > 200:
            raise Failure("BAD_REQUEST", "Unexpected input")
        found = [record for record in self.records.values()
                 if record["recordType"] == kind and record["recordName"] not in self.hidden
                 and record["fields"].get(test["fieldName"], {}).get("value") in value["value"]]
        start = int(body.get("continuationMarker", "0"))
        page = min(self.page, body["resultsLimit"], 200)
        answer = {"records": [self.shown(record, body.get("desiredKeys")) for record in found[start:start + page]]}
        if start + page < len(found):
            answer["continuationMarker"] = str(start + page)
        return len(value["value"]), answer

    def lookup(self, body):
        if len(body["records"]) > 200:
            raise Failure("BAD_REQUEST", "limit exceeded")
        answers = []
        for asked in body["records"]:
            record = self.records.get(asked["recordName"])
            answers.append(self.shown(record, asked.get("desiredKeys")) if record else
                           {"recordName": asked["recordName"], "reason": "Record not found",
                            "serverErrorCode": "NOT_FOUND"})
        return len(answers), {"records": answers}

    def modify(self, body):
        if len(body["operations"]) > 200 or body["atomic"]:
            raise Failure("BAD_REQUEST", "limit exceeded")
        return len(body["operations"]), {"records": [self.change(one, body.get("desiredKeys"))
                                                     for one in body["operations"]]}

    def change(self, operation, keys):
        kind, given = operation["operationType"], operation["record"]
        name = given["recordName"]
        record = self.records.get(name)

        def error(code, **more):
            return {"recordName": name, "reason": "private words of the service", "serverErrorCode": code, **more}

        title = TYPES.get(given["recordType"], ("name",))[0]
        key = (given.get("fields") or (record or {"fields": {}})["fields"]).get(title, {}).get("value")
        key = key or (record or {"fields": {}})["fields"].get(title, {}).get("value")
        planned = self.errors.get(key)
        if planned:
            one = planned.pop(0)
            return error(one.pop("code"), **one)
        if given["recordType"] not in TYPES or not set(given.get("fields", {})) <= set(TYPES[given["recordType"]]):
            return error("BAD_REQUEST")
        if kind == "create":
            if record:
                return error("EXISTS")
            record = {"recordName": name, "recordType": given["recordType"], "fields": {}}
            if self.lag:
                self.hidden.add(name)
        elif not record:
            return error("NOT_FOUND")
        elif given.get("recordChangeTag") != record["recordChangeTag"]:
            return error("CONFLICT")
        if kind == "delete":
            del self.records[name]
            return {"recordName": name, "deleted": True}
        for field, value in given["fields"].items():
            record["fields"][field] = {"value": value["value"], "type": "STRING"}
        record["recordChangeTag"] = "t%x" % next(TICKS)
        self.records[name] = record
        return self.shown(record, keys)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body, headers={}):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        parts = self.path.split("/")
        if parts[2] == "key":
            def text(form):
                return KEY.private_bytes(serialization.Encoding.PEM, form, serialization.NoEncryption()).decode()
            return self.answer(200, {"sec1": text(serialization.PrivateFormat.TraditionalOpenSSL),
                                     "pkcs8": text(serialization.PrivateFormat.PKCS8)})
        with LOCK:
            container = CONTAINERS.setdefault(parts[2], Container())
            if parts[3] == "records":
                return self.answer(200, list(container.records.values()))
            requests, container.requests = container.requests, []
        self.answer(200, requests)

    def do_POST(self):
        data = self.rfile.read(int(self.headers["Content-Length"]))
        parts = urllib.parse.urlsplit(self.path)
        path = parts.path.split("/")
        if path[1] == "_":
            with LOCK:
                self.control(CONTAINERS.setdefault(path[2], Container()), path[3], json.loads(data))
            return self.answer(200, {})
        with LOCK:
            container = CONTAINERS.setdefault(path[3], Container())
            operation = path[7]
            fault = container.due(operation)
            if fault and fault.get("drop"):
                if fault.get("after"):
                    getattr(container, operation)(json.loads(data))
                self.close_connection = True
                return self.connection.close()
            if fault:
                container.requests.append({"operation": operation, "count": 0})
                return self.answer(fault["status"], fault.get("body", ""), fault.get("headers", {}))
            try:
                self.authenticate(data, parts, path)
                count, answer = getattr(container, operation)(json.loads(data))
                container.requests.append({"operation": operation, "count": count})
                self.answer(200, answer)
            except Failure as failure:
                container.requests.append({"operation": operation, "count": 0})
                self.answer(failure.status, failure.body)

    def control(self, container, name, body):
        if name == "fault":
            container.faults.append(body)
        elif name == "recover":
            container.faults, container.errors = [], {}
        elif name == "errors":
            container.errors = body
        elif name == "put":
            container.records[body["recordName"]] = {**body, "recordChangeTag": "t%x" % next(TICKS)}
        elif name == "set":
            container.page = body.get("page", container.page)
            container.lag = body.get("lag", container.lag)

    def authenticate(self, data, parts, path):
        token = urllib.parse.parse_qs(parts.query).get("ckAPIToken")
        if token:
            if token != ["good"]:
                raise Failure("AUTHENTICATION_FAILED", "bad token")
            if path[7] == "modify":
                raise Failure("AUTHENTICATION_REQUIRED", "sign in")
            return
        date = self.headers.get("X-Apple-CloudKit-Request-ISO8601Date", "")
        try:
            then = datetime.datetime.strptime(date, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
        except ValueError:
            raise Failure("AUTHENTICATION_FAILED", "no date")
        now = datetime.datetime.now(datetime.timezone.utc)
        digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
        try:
            signature = base64.b64decode(self.headers["X-Apple-CloudKit-Request-SignatureV1"], validate=True)
            KEY.public_key().verify(signature, f"{date}:{digest}:{self.path}".encode(), ec.ECDSA(hashes.SHA256()))
        except (InvalidSignature, ValueError):
            raise Failure("AUTHENTICATION_FAILED", "bad signature")
        if self.headers["X-Apple-CloudKit-Request-KeyID"] != KEY_ID or abs((now - then).total_seconds()) > 600:
            raise Failure("AUTHENTICATION_FAILED", "bad key or date")


loopback.serve(Handler, "{}")
os._exit(0)
