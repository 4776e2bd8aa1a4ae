"""A fake of IAM's access keys, on loopback, which can lose answers and send others. It checks no signature: moto does.

Each test has a user of its own, whose keys it lists two to a page. Requests and answers are those of the IAM API Reference,
version 2010-05-08.

    POST /_/USER/fault      a fault, as JSON: see `User.due`
    POST /_/USER/recover    no more faults
    GET  /_/USER/requests   the requests since the last time this was asked: the action, and its other fields
    GET  /_/USER/keys       the keys that there are
"""
import itertools
import json
import secrets
import threading
import urllib.parse

import loopback

NUMBERS = itertools.count(1)
PAGE = 2


class User:
    def __init__(self, name):
        self.name, self.keys, self.faults, self.requests = name, [], [], []
        self.lock = threading.Lock()

    def due(self, action):
        """kind: `answer` (status, headers, body), `drop` (before it is processed), `dropAfter` (after it was).
        In a body, # is a number that no other answer has."""
        for fault in self.faults:
            if fault.get("writes") and action == "ListAccessKeys":
                continue
            if fault.get("skip", 0) > 0:
                fault["skip"] -= 1
            elif fault.get("times", 1) > 0:
                fault["times"] = fault.get("times", 1) - 1
                return fault
        return None

    def perform(self, action, form):
        if action == "CreateAccessKey":
            if len(self.keys) >= 5:
                return refusal(409, "LimitExceeded")
            key = {"id": f"AKIA{next(NUMBERS):016}", "value": f"canary/{secrets.token_hex(15)}+", "status": "Active"}
            self.keys.append(key)
            return 200, result(
                action, f"<AccessKey>{self.described(key)}<SecretAccessKey>{key['value']}</SecretAccessKey></AccessKey>")
        if action == "ListAccessKeys":
            start = int(form.get("Marker", "0"))
            members = "".join(f"<member>{self.described(key)}</member>" for key in self.keys[start:start + PAGE])
            more = start + PAGE < len(self.keys)
            marker = f"<Marker>{start + PAGE}</Marker>" if more else ""
            return 200, result(
                action, f"<AccessKeyMetadata>{members}</AccessKeyMetadata><IsTruncated>{str(more).lower()}</IsTruncated>{marker}")
        key = next((key for key in self.keys if key["id"] == form["AccessKeyId"]), None)
        if not key:
            return refusal(404, "NoSuchEntity")
        if action == "DeleteAccessKey":
            self.keys.remove(key)
        else:
            key["status"] = form["Status"]
        return 200, result(action, None)

    def described(self, key):
        return (
            f"<UserName>{self.name}</UserName><AccessKeyId>{key['id']}</AccessKeyId><Status>{key['status']}</Status>"
            "<CreateDate>2026-11-25T10:00:00Z</CreateDate>")


def result(action, content):
    inner = "" if content is None else f"<{action}Result>\n  {content}\n</{action}Result>\n"
    return (
        f'<{action}Response xmlns="https://iam.amazonaws.com/doc/2010-05-08/">\n{inner}'
        f"<ResponseMetadata><RequestId>r</RequestId></ResponseMetadata>\n</{action}Response>\n")


def refusal(status, code):
    return status, f"<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>m</Message></Error></ErrorResponse>"


USERS = {}
LOCK = threading.Lock()


def user(name):
    with LOCK:
        return USERS.setdefault(name, User(name))


class Handler(loopback.Handler):
    content_type = "text/xml"

    def answer(self):
        raw = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        if self.path.startswith("/_/"):
            _, _, name, what = self.path.split("/")
            return self.control(user(name), what, raw)
        form = dict(urllib.parse.parse_qsl(raw, keep_blank_values=True))
        action, subject = form.pop("Action"), user(form.pop("UserName"))
        with subject.lock:
            subject.requests.append({"method": action, "path": "&".join(f"{k}={v}" for k, v in form.items())})
            fault = subject.due(action)
            if fault and fault["kind"] == "answer":
                body = fault.get("body", "").replace("#", str(next(NUMBERS)))
                return self.send(fault["status"], fault.get("headers"), body.encode())
            if fault and fault["kind"] == "drop":
                return self.drop()
            status, body = subject.perform(action, form)
        if fault:
            return self.drop()
        self.send(status, None, body.encode())

    do_GET = do_POST = answer

    def control(self, subject, what, raw):
        with subject.lock:
            body = None
            if what == "fault":
                subject.faults.append(json.loads(raw))
            elif what == "recover":
                subject.faults = []
            elif what == "requests":
                body, subject.requests = subject.requests, []
            elif what == "keys":
                body = subject.keys
            self.send(200, None, json.dumps(body).encode())


loopback.serve(Handler)
