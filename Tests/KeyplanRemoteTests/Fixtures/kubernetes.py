"""A fake of Kubernetes' API server, as far as secrets are concerned: it keeps who owns each field, as server-side apply does.

It says on its first line on which ports it serves: in the clear, and with TLS for `cluster.internal` (then client
certificates of its authority are accepted). Each test has a cluster of its own: the first two segments of the path, `/i/NAME`.

    POST /i/NAME/_/fault      a fault, as JSON: status, headers, body, methods, after, times
    GET  /i/NAME/_/requests   the requests since the last time this was asked

Who may do what: the token `good` everything, `reader` only reading, the password `ada:hidden` and certificates everything.

usage: kubernetes.py FOLDER     FOLDER has server.pem, server.key and authority.pem
"""
import base64
import copy
import http.server
import itertools
import json
import re
import ssl
import sys
import threading
import urllib.parse

import loopback

VERSIONS = itertools.count(100)
CLUSTERS = {}
LOCK = threading.Lock()
SECRET = re.compile(r"/api/v1/namespaces/([^/]+)/secrets(?:/([^/]+))?$")
KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}$")


class Failure(Exception):
    def __init__(self, code, reason, message, **details):
        super().__init__(reason)
        self.code = code
        self.body = {
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message,
            "reason": reason, "details": details, "code": code,
        }


def fields_of(config):
    """The leaves that a manifest sets, by path."""
    found = {}
    for name, value in (config.get("data") or {}).items():
        found[("data", name)] = value
    for name, value in (config.get("metadata", {}).get("labels") or {}).items():
        found[("metadata", "labels", name)] = value
    for name, value in (config.get("metadata", {}).get("annotations") or {}).items():
        found[("metadata", "annotations", name)] = value
    for name in ("type", "immutable"):
        if name in config:
            found[(name,)] = config[name]
    return found


def get(secret, path):
    for name in path:
        secret = (secret or {}).get(name)
    return secret


def put(secret, path, value):
    for name in path[:-1]:
        secret = secret.setdefault(name, {})
    if value is None:
        secret.pop(path[-1], None)
    else:
        secret[path[-1]] = value


class Stored:
    def __init__(self, namespace, name):
        self.secret = {"apiVersion": "v1", "kind": "Secret",
                       "metadata": {"name": name, "namespace": namespace, "uid": f"uid-{next(VERSIONS)}"}}
        self.owners = {}

    def shown(self):
        secret = copy.deepcopy(self.secret)
        managed = []
        for (manager, operation), paths in sorted(self.owners.items()):
            tree = {}
            for path in sorted(paths):
                node = tree
                for part in path:
                    node = node.setdefault(f"f:{part}", {})
                if path[0] == "data":
                    tree["f:data"]["."] = {}
            managed.append({"manager": manager, "operation": operation, "apiVersion": "v1", "fieldsType": "FieldsV1",
                            "time": "2026-11-23T10:00:00Z", "fieldsV1": tree})
        secret["metadata"]["managedFields"] = managed
        return secret

    def check_version(self, config):
        for name in ("resourceVersion", "uid"):
            wanted = config.get("metadata", {}).get(name)
            if wanted and wanted != self.secret["metadata"].get(name):
                raise Failure(409, "Conflict", "Operation cannot be fulfilled on secrets: the object has been modified",
                              name=self.secret["metadata"]["name"], kind="secrets")

    def validate(self, old):
        new = self.secret
        for name, value in (new.get("data") or {}).items():
            if not KEY.match(name) or name.startswith("..") or name == ".":
                raise Failure(422, "Invalid", "invalid key", kind="Secret")
            try:
                base64.b64decode(value, validate=True)
            except Exception:
                raise Failure(400, "BadRequest", "illegal base64 data") from None
        if not old.get("type"):
            return
        if new.get("type") != old.get("type"):
            raise Failure(422, "Invalid", "type: field is immutable", kind="Secret")
        if old.get("immutable") and (new.get("data") != old.get("data") or not new.get("immutable")):
            raise Failure(422, "Invalid", "data: field is immutable when `immutable` is set", kind="Secret")

    def change(self, work):
        before, owners = copy.deepcopy(self.secret), copy.deepcopy(self.owners)
        try:
            work()
            self.secret.setdefault("type", "Opaque")
            self.validate(before)
        except Failure:
            self.secret, self.owners = before, owners
            raise
        if (before, owners) != (self.secret, self.owners):
            self.secret["metadata"]["resourceVersion"] = str(next(VERSIONS))

    def apply(self, config, manager, force):
        self.check_version(config)
        wanted = fields_of(config)
        mine = (manager, "Apply")
        causes = []
        for path, value in wanted.items():
            if get(self.secret, path) == value:
                continue
            others = [owner for owner, paths in self.owners.items() if owner != mine and path in paths]
            causes += [{"reason": "FieldManagerConflict", "field": "." + ".".join(path),
                        "message": f'conflict with "{name}" using v1'} for name, _ in others]
        if causes and not force:
            told = ", ".join(f'{cause["message"]}: {cause["field"]}' for cause in causes)
            count = f"{len(causes)} conflict{'s' if len(causes) > 1 else ''}"
            raise Failure(409, "Conflict", f"Apply failed with {count}: {told}", causes=causes)

        def work():
            for path in self.owners.get(mine, set()) - set(wanted):
                if not any(path in paths for owner, paths in self.owners.items() if owner != mine):
                    put(self.secret, path, None)
            for path, value in wanted.items():
                if get(self.secret, path) != value:
                    for owner, paths in self.owners.items():
                        paths.discard(path)
                put(self.secret, path, value)
            self.owners[mine] = set(wanted)
            self.owners = {owner: paths for owner, paths in self.owners.items() if paths}

        self.change(work)

    def update(self, changes, manager):
        """Sets fields as a PUT or a patch does: the manager then owns what changed. None removes."""
        def work():
            mine = self.owners.setdefault((manager, "Update"), set())
            for path, value in changes.items():
                if get(self.secret, path) == value:
                    continue
                for paths in self.owners.values():
                    paths.discard(path)
                put(self.secret, path, value)
                if value is not None:
                    mine.add(path)
            self.owners = {owner: paths for owner, paths in self.owners.items() if paths}

        self.change(work)


class Cluster:
    def __init__(self):
        self.secrets, self.faults, self.requests = {}, [], []
        self.namespaces = {"default", "shop"}

    def due(self, method):
        for fault in self.faults:
            if method not in fault.get("methods", [method]):
                continue
            fault["times"] = fault.get("times", 1000) - 1
            if fault["times"] < 0:
                continue
            return fault
        return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body, headers=None):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length) if length else b""
        address = urllib.parse.urlsplit(self.path)
        match = re.match(r"/i/([^/]+)(/.*)$", address.path)
        if not match:
            return self.answer(404, "404 page not found")
        self.query = dict(urllib.parse.parse_qsl(address.query))
        with LOCK:
            cluster = CLUSTERS.setdefault(match[1], Cluster())
            path = urllib.parse.unquote(match[2])
            if path == "/_/fault":
                cluster.faults.append(json.loads(content))
                return self.answer(200, {})
            if path == "/_/requests":
                seen, cluster.requests = cluster.requests, []
                return self.answer(200, seen)
            cluster.requests.append({"method": self.command, "path": path, "query": address.query,
                                     "user": self.user() or "", "as": self.headers.get("Impersonate-User", ""),
                                     "host": self.headers.get("Host", "")})
            fault = cluster.due(self.command)
            if fault and not fault.get("after"):
                if "status" not in fault:
                    self.close_connection = True
                    self.connection.close()
                    return None
                return self.answer(fault["status"], fault.get("body", ""), fault.get("headers"))
            try:
                code, body = self.respond(cluster, path, content)
            except Failure as failure:
                code, body = failure.code, failure.body
            if fault:
                self.close_connection = True
                self.connection.close()
                return None
        return self.answer(code, body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def user(self):
        credential = self.headers.get("Authorization", "")
        # What follows the first point makes a token unlike others.
        if credential.partition(".")[0] in ("Bearer good", "Bearer fresh"):
            return "ci-bot"
        if credential == "Bearer reader":
            return "reader"
        if credential == "Basic " + base64.b64encode(b"ada:hidden").decode():
            return "ada"
        if isinstance(self.connection, ssl.SSLSocket) and self.connection.getpeercert():
            subject = dict(part[0] for part in self.connection.getpeercert()["subject"])
            return "certificate " + subject["commonName"]
        return None

    def respond(self, cluster, path, content):
        user = self.user()
        if not user:
            raise Failure(401, "Unauthorized", "Unauthorized")
        if path == "/version":
            return 200, {"major": "1", "minor": "37", "gitVersion": "v1.37.1"}
        if path == "/api":
            return 200, {"kind": "APIVersions", "versions": ["v1"]}
        if path == "/apis":
            return 200, {"kind": "APIGroupList", "apiVersion": "v1", "groups": []}
        if path == "/api/v1":
            verbs = ["create", "delete", "get", "list", "patch", "update"]
            return 200, {"kind": "APIResourceList", "groupVersion": "v1", "resources": [
                {"name": "secrets", "singularName": "secret", "namespaced": True, "kind": "Secret", "verbs": verbs}]}
        if path.endswith("/selfsubjectreviews"):
            return 201, {"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1",
                         "status": {"userInfo": {"username": user, "groups": ["system:authenticated"]}}}
        match = SECRET.match(path)
        if not match:
            raise Failure(404, "NotFound", "the server could not find the requested resource")
        namespace, name = match[1], match[2]
        if user == "reader" and self.command != "GET":
            raise Failure(403, "Forbidden", f'secrets "{name}" is forbidden: User "reader" cannot change it',
                          name=name, kind="secrets")
        if namespace == "locked":
            raise Failure(403, "Forbidden", "secrets is forbidden", kind="secrets")
        stored = cluster.secrets.get((namespace, name))
        if namespace not in cluster.namespaces and self.command != "GET":
            raise Failure(404, "NotFound", f'namespaces "{namespace}" not found', name=namespace, kind="namespaces")
        if self.command == "POST":
            body = json.loads(content)
            name = body["metadata"]["name"]
            if (namespace, name) in cluster.secrets:
                raise Failure(409, "AlreadyExists", f'secrets "{name}" already exists', name=name, kind="secrets")
            stored = Stored(namespace, name)
            for key, text in (body.pop("stringData", None) or {}).items():
                body.setdefault("data", {})[key] = base64.b64encode(text.encode()).decode()
            stored.update(fields_of(body), self.query.get("fieldManager", "unknown"))
            cluster.secrets[(namespace, name)] = stored
            return 201, stored.shown()
        if self.command == "PATCH" and "apply-patch" in self.headers.get("Content-Type", ""):
            body = json.loads(content)
            manager = self.query["fieldManager"]
            isNew = stored is None
            if isNew:
                if body["metadata"].get("resourceVersion"):
                    raise Failure(409, "Conflict", "the object has been deleted", name=name, kind="secrets")
                stored = Stored(namespace, name)
            stored.apply(body, manager, self.query.get("force") == "true")
            cluster.secrets[(namespace, name)] = stored
            return (201 if isNew else 200), stored.shown()
        if stored is None:
            raise Failure(404, "NotFound", f'secrets "{name}" not found', name=name, kind="secrets")
        if self.command == "GET":
            return 200, stored.shown()
        if self.command == "PATCH":
            body = json.loads(content)
            stored.update({path: value for path, value in fields_of(body).items()},
                          self.query.get("fieldManager", "unknown"))
            return 200, stored.shown()
        if self.command == "DELETE":
            preconditions = (json.loads(content) if content else {}).get("preconditions") or {}
            for field, value in preconditions.items():
                if stored.secret["metadata"].get(field) != value:
                    raise Failure(409, "Conflict", "the precondition failed", name=name, kind="secrets")
            del cluster.secrets[(namespace, name)]
            return 200, {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
        raise Failure(405, "MethodNotAllowed", "not supported")


class TLSServer(loopback.Server):
    def __init__(self, folder):
        super().__init__(("127.0.0.1", 0), Handler)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(f"{folder}/server.pem", f"{folder}/server.key")
        self.context.load_verify_locations(f"{folder}/authority.pem")
        self.context.verify_mode = ssl.CERT_OPTIONAL

    def finish_request(self, request, address):
        # The handshake is made on the connection's own thread.
        with self.context.wrap_socket(request, server_side=True) as secure:
            super().finish_request(secure, address)

    def handle_error(self, *_):
        pass


def main():
    plain, secure = loopback.Server(("127.0.0.1", 0), Handler), TLSServer(sys.argv[1])
    for server in (plain, secure):
        threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"http": plain.server_port, "tls": secure.server_port}), flush=True)
    sys.stdin.read()


main()
