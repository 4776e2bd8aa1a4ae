"""A fake of the providers of keys, on loopback: answers as checks.json lists them.

    /PROVIDER/NUMBER/...    the answer with this number, to the documented request with the documented key only
    /PROVIDER/by-key/...    the first answer to that, and the second one to any other request, such as one with another key
    /_/requests             the requests since the last time this was asked, as a list of paths

A request that is not as documented gets an answer that no check understands.
"""
import json
import pathlib
import threading
import urllib.parse

import loopback

TABLE = json.loads(pathlib.Path(__file__).with_name("checks.json").read_text())
LOCK = threading.Lock()
SEEN = []


def differs(wanted, method, path, query, headers, body):
    """What is not as documented; None if all is."""
    key = wanted["key"]
    if method != wanted.get("method", "GET"):
        return "method"
    if path != wanted["path"]:
        return "path"
    expected = dict(wanted.get("query", {}))
    if "parameter" in wanted:
        expected[wanted["parameter"]] = key
    if {name: values[0] for name, values in query.items()} != expected:
        return "query"
    for name, value in wanted.get("headers", {}).items():
        if headers.get(name) != value.replace("{key}", key):
            return name
    if "parameter" not in wanted and key in path + json.dumps(query):
        return "the key is in the address"
    if "json" in wanted and json.loads(body) != wanted["json"]:
        return "body"
    return None


class Handler(loopback.Handler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        address = urllib.parse.urlsplit(self.path)
        _, provider, number, rest = (address.path + "/").split("/", 3)
        if provider == "_":
            with LOCK:
                seen, SEEN[:] = list(SEEN), []
            return self.send(200, {}, json.dumps(seen).encode())
        with LOCK:
            SEEN.append(address.path)
        entry = TABLE[provider]
        query = urllib.parse.parse_qs(address.query, keep_blank_values=True)
        wrong = differs(entry["request"], self.command, "/" + rest.rstrip("/"), query, self.headers, body)
        if number == "by-key":
            number, wrong = int(bool(wrong)), None
        if wrong:
            return self.send(418, {}, json.dumps({"wrong": wrong}).encode())
        answer = entry["answers"][int(number)]
        text = answer["text"] if "text" in answer else json.dumps(answer["body"])
        self.send(answer["status"], answer.get("headers", {}), text.encode())

    do_GET = do_POST = answer


loopback.serve(Handler)
