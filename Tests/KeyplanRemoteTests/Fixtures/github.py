"""A fake of GitHub's API, as far as secrets are concerned. Each test has an account of its own, named by its token: `good.NAME`.

The tokens: `good` may do everything, `reader` may not write, `hidden` sees nothing, `workflow` is that of a workflow, `sso` is not
authorized for single sign-on. A token of a GitHub App begins with `app` and has the rights that it was made with.

    POST /_/NAME/fault      a fault, as JSON: status, headers, body, methods, path (a part of it), after, times
    GET  /_/NAME/requests   the requests since the last time this was asked
    GET  /_/NAME/values     the values, by the path of the secret, opened with libsodium
    POST /_/NAME/rotate     makes new public keys
    POST /_/NAME/app        a GitHub App, as JSON: id, installation, key (public, PEM)
    POST /_/NAME/share      gives a secret of the organization to repositories: name, ids

The client `gh` reaches it as a proxy.
"""
import base64
import http.server
import itertools
import json
import os
import re
import sys
import threading
import urllib.parse

import loopback

try:
    import cryptography.hazmat.primitives.asymmetric.padding
    import cryptography.hazmat.primitives.hashes
    import cryptography.hazmat.primitives.serialization
    import nacl.public
except ImportError:
    python = os.environ.get("KEYPLAN_TEST_PYTHON")
    if not python or os.environ.get("KEYPLAN_FAKE_STARTED"):
        raise
    os.environ["KEYPLAN_FAKE_STARTED"] = "1"
    os.execv(python, [python] + sys.argv)

ACCOUNTS = {}
INSTALLATIONS = {}
APPS = {}
LOCK = threading.Lock()
TICKS = itertools.count(1)
SCOPE = (r"(/repos/[^/]+/[^/]+/(?:actions|dependabot|codespaces)|/repos/[^/]+/[^/]+/environments/[^/]+"
         r"|/orgs/[^/]+/(?:actions|dependabot|codespaces))/secrets")
NAME = re.compile(r"[A-Z_][A-Z0-9_]*$")
REPOSITORIES = {"acme/shop": 1001, "acme/app": 1002, "Acme-Inc/big.repo": 1003}


class Answer(Exception):
    def __init__(self, status, body=None, **headers):
        super().__init__(status)
        self.status, self.body = status, body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def require(condition, status, message, **headers):
    if not condition:
        raise Answer(status, {"message": message, "status": str(status)}, **headers)


def mark():
    tick = next(TICKS)
    return f"2026-11-23T{tick // 3600 % 24:02}:{tick // 60 % 60:02}:{tick % 60:02}Z"


class Account:
    def __init__(self):
        self.secrets, self.keys, self.tokens = {}, {}, {}
        self.faults, self.requests, self.revoked = [], [], []

    def key(self, scope):
        if scope not in self.keys:
            self.keys[scope] = (str(next(TICKS)), nacl.public.PrivateKey.generate())
        return self.keys[scope]

    def due(self, method, path):
        for fault in self.faults:
            if method in fault.get("methods", [method]) and fault.get("path", "") in path and fault.get("times", 1000) > 0:
                fault["times"] = fault.get("times", 1000) - 1
                return fault
        return None


def decoded(part):
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=None, headers=None):
        data = b"" if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        if status != 204:
            self.wfile.write(data)

    def drop(self):
        self.close_connection = True
        self.connection.close()

    def handle_any(self):
        length = int(self.headers.get("Content-Length") or 0)
        content = self.rfile.read(length) if length else b""
        address = urllib.parse.urlsplit(self.path)
        self.base = f"{address.scheme or 'http'}://{address.netloc or self.headers['Host']}"
        self.query = dict(urllib.parse.parse_qsl(address.query))
        path = address.path
        control = re.match(r"/_/([^/]+)/(\w+)$", path)
        with LOCK:
            if control:
                account = ACCOUNTS.setdefault(control[1], Account())
                return self.answer(200, self.control(account, control[1], control[2], content))
            fault = None
            try:
                account, rights = self.caller(path)
                account.requests.append({"method": self.command, "path": urllib.parse.unquote(path),
                                         "rights": rights, "body": content.decode()})
                fault = account.due(self.command, path)
                if fault and not fault.get("after"):
                    if "status" not in fault:
                        return self.drop()
                    return self.answer(fault["status"], fault.get("body", ""), fault.get("headers"))
                self.respond(account, rights, path, json.loads(content) if content else None)
                raise Answer(404, {"message": "Not Found"})
            except Answer as answer:
                if fault:
                    return self.drop()
                return self.answer(answer.status, answer.body, answer.headers)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

    def control(self, account, name, what, content):
        body = json.loads(content) if content else None
        if what == "fault":
            account.faults.append(body)
        elif what == "requests":
            seen, account.requests = account.requests, []
            return seen
        elif what == "values":
            return {path: secret["value"] for path, secret in account.secrets.items()}
        elif what == "rotate":
            account.keys = {}
        elif what == "revoked":
            return account.revoked
        elif what == "app":
            INSTALLATIONS[str(body["installation"])] = (name, body["id"])
            APPS[body["id"]] = cryptography.hazmat.primitives.serialization.load_pem_public_key(body["key"].encode())
        elif what == "share":
            account.secrets[f"/orgs/acme/actions/{body['name']}"].update(visibility="selected", repositories=body["ids"])
        return {}

    def caller(self, path):
        """The account and the rights of a token."""
        words = self.headers.get("Authorization", "").split(" ")
        token = words[-1]
        require(self.headers.get("User-Agent"), 403, "Request forbidden by administrative rules.")
        if token.count(".") == 2:
            return self.app(path, token)
        kind, _, name = token.partition(".")
        account = ACCOUNTS.setdefault(name, Account())
        if kind.startswith("app"):
            require(token in account.tokens, 401, "Bad credentials")
            return account, account.tokens[token]
        require(kind in ("good", "reader", "hidden", "workflow", "sso"), 401, "Bad credentials")
        return account, kind

    def app(self, path, token):
        head, claims, signature = token.split(".")
        facts = json.loads(decoded(claims))
        require(json.loads(decoded(head))["alg"] == "RS256" and facts["iss"] in APPS, 401, "A JSON web token could not be decoded")
        require(facts["exp"] - facts["iat"] <= 600, 401, "'Expiration time' claim is too far in the future")
        try:
            APPS[facts["iss"]].verify(
                decoded(signature), f"{head}.{claims}".encode(),
                cryptography.hazmat.primitives.asymmetric.padding.PKCS1v15(), cryptography.hazmat.primitives.hashes.SHA256())
        except Exception:
            raise Answer(401, {"message": "A JSON web token could not be decoded"}) from None
        if path == "/app":
            raise Answer(200, {"slug": "keyplan-bot"})
        number = path.split("/")[3]
        require(number in INSTALLATIONS and INSTALLATIONS[number][1] == facts["iss"], 404, "Not Found")
        return ACCOUNTS.setdefault(INSTALLATIONS[number][0], Account()), "jwt " + number

    def respond(self, account, rights, path, body):
        if isinstance(rights, str) and rights.startswith("jwt"):
            require(path.endswith("/access_tokens"), 404, "Not Found")
            unknown = [name for name in body.get("repositories", []) if f"acme/{name}" not in REPOSITORIES]
            require(not unknown, 422, "There is at least one repository that does not exist")
            name = next(name for name, other in ACCOUNTS.items() if other is account)
            token = f"app{next(TICKS)}.{name}"
            account.tokens[token] = {"repositories": body.get("repositories"), "permissions": body["permissions"]}
            raise Answer(201, {"token": token, "expires_at": "2100-01-01T00:00:00Z", "permissions": body["permissions"]})
        if path == "/installation/token":
            account.revoked.append(rights["permissions"])
            raise Answer(204)
        if path == "/user":
            require(rights in ("good", "reader"), 403, "Resource not accessible by integration")
            raise Answer(200, {"login": "octo-cat", "id": 1})
        require(rights != "sso", 403, "Resource protected by organization SAML enforcement.",
                X_GitHub_SSO="required; url=https://github.com/orgs/acme/sso?authorization_request=canary")
        require(rights != "hidden", 404, "Not Found")
        home = re.match(r"/repos/([^/]+/[^/]+)", path) or re.match(r"/orgs/([^/]+)", path)
        require(home, 404, "Not Found")
        if home[1] == "acme/old":
            raise Answer(301, {"message": "Moved Permanently"}, Location=f"{self.base}/repositories/1001")
        require(home[1] in REPOSITORIES or path.startswith("/orgs/acme"), 404, "Not Found")
        if path == home[0]:
            raise Answer(200, {"id": REPOSITORIES.get(home[1], 77), "name": home[1], "full_name": home[1]})
        match = re.match(SCOPE + r"(?:/([^/]+))?(/repositories)?$", path)
        require(match, 404, "Not Found")
        scope, name = match[1], match[2]
        require("/environments/" not in scope or scope.rsplit("/")[-1] in ("production", "a%2Fb"), 404, "Not Found")
        require(rights != "workflow", 403, "Resource not accessible by integration")
        if isinstance(rights, dict):
            kind = "environments" if "/environments/" in scope else {
                "actions": "secrets", "dependabot": "dependabot_secrets", "codespaces": "codespaces_secrets"
            }[scope.rsplit("/")[-1]]
            if scope.startswith("/orgs/"):
                kind = "organization_" + kind
            else:
                require(home[1].split("/")[1] in rights["repositories"], 404, "Not Found")
            require(rights["permissions"].get(kind) == "write", 403, "Resource not accessible by integration")
        self.secrets(account, rights, scope, name, match[3], body)

    def secrets(self, account, rights, scope, name, repositories, body):
        if name == "public-key":
            number, key = account.key(scope)
            raise Answer(200, {"key_id": number, "key": base64.b64encode(bytes(key.public_key)).decode()})
        own = sorted(path for path in account.secrets if path.startswith(scope + "/"))
        if name is None:
            size, page = int(self.query.get("per_page", 30)), int(self.query.get("page", 1))
            shown = [self.shown(account, path) for path in own[(page - 1) * size:page * size]]
            following = f"{self.base}{scope}/secrets?per_page={size}&page={page + 1}"
            headers = {"Link": f'<{following}>; rel="next", <{self.base}/x>; rel="last"'} if page * size < len(own) else {}
            raise Answer(200, {"total_count": len(own), "secrets": shown}, **headers)
        path = f"{scope}/{name.upper()}"
        secret = account.secrets.get(path)
        if repositories:
            require(secret, 404, "Not Found")
            found = [{"id": number} for number in secret["repositories"]]
            raise Answer(200, {"total_count": len(found), "repositories": found})
        if self.command == "GET":
            require(secret, 404, "Not Found")
            raise Answer(200, self.shown(account, path))
        require(rights != "reader", 403, "Resource not accessible by personal access token")
        if self.command == "DELETE":
            require(secret, 404, "Not Found")
            del account.secrets[path]
            raise Answer(204)
        require(NAME.match(name.upper()) and not name.upper().startswith("GITHUB_"), 422, "Secret names are limited")
        number, key = account.key(scope)
        require(body["key_id"] == number, 422, "Invalid request. The key_id is not the current one.")
        value = nacl.public.SealedBox(key).decrypt(base64.b64decode(body["encrypted_value"], validate=True))
        require(len(value) <= 48 << 10, 422, "Value is too large")
        # Marks are in whole seconds, and a test must see each.
        made = {"name": name.upper(), "created_at": (secret or {}).get("created_at", mark()), "updated_at": mark(),
                "value": value.decode(errors="replace")}
        if scope.startswith("/orgs/"):
            require(body.get("visibility") in ("all", "private", "selected"), 422, "visibility is missing")
            made.update(visibility=body["visibility"], repositories=body.get("selected_repository_ids", []))
        account.secrets[path] = made
        raise Answer(204 if secret else 201, None if secret else {})

    def shown(self, account, path):
        secret = account.secrets[path]
        shown = {name: secret[name] for name in ("name", "created_at", "updated_at")}
        if "visibility" in secret:
            shown["visibility"] = secret["visibility"]
            if secret["visibility"] == "selected":
                scope, name = path.rsplit("/", 1)
                shown["selected_repositories_url"] = f"{self.base}{scope}/secrets/{name}/repositories"
        return shown


loopback.serve(Handler, "{}")
