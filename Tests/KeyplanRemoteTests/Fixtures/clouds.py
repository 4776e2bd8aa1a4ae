"""The services that Google's and Azure's credential chains ask, on one port of this machine.

A token says how it was obtained, so that two clients with the same token had the same access. Prints its port.
"""

import base64
import http.server
import json
import sys
import threading
import urllib.parse

LOGIN = "https://login.microsoftonline.com"


def claims(assertion, port):
    """The header and the claims of an assertion, without those that differ each time."""
    header, body = (json.loads(base64.urlsafe_b64decode(part + "==")) for part in assertion.split(".")[:2])
    kept = {name: value for name, value in body.items() if name in ("iss", "sub", "scope")}
    kept["aud"] = body["aud"].replace(f"http://127.0.0.1:{port}", "ROOT").replace(LOGIN, "ROOT")
    return json.dumps([header.get("kid"), kept], sort_keys=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = []
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def answer(self, status, value, flavor=False):
        body = json.dumps(value).encode()
        self.send_response(status)
        if flavor:
            self.send_header("Metadata-Flavor", "Google")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query))
        if path == "/_/seen":
            with self.lock:
                seen, self.seen[:] = list(self.seen), []
            return self.answer(200, seen)
        with self.lock:
            self.seen.append(f"GET {path}")
        if path.endswith("/.well-known/openid-configuration"):
            tenant = path.split("/")[1]
            return self.answer(200, {"issuer": f"{LOGIN}/{tenant}/v2.0",
                                     "authorization_endpoint": f"{LOGIN}/{tenant}/oauth2/v2.0/authorize",
                                     "token_endpoint": f"{LOGIN}/{tenant}/oauth2/v2.0/token"})
        if path == "/" or path.startswith("/computeMetadata/"):
            if self.headers.get("Metadata-Flavor") != "Google":
                return self.answer(403, {})
            if path.endswith("/token"):
                return self.answer(200, {"access_token": "metadata", "expires_in": 3599, "token_type": "Bearer"}, True)
            if path.endswith("/universe-domain") or path.endswith("/universe_domain"):
                return self.answer(404, {}, True)
            return self.answer(200, {"email": "vm@p", "scopes": [], "aliases": ["default"]}, True)
        if path == "/subject":
            if self.headers.get("x-subject") != "yes":
                return self.answer(403, {})
            return self.answer(200, {"value": "from-url"})
        if path == "/metadata/identity/oauth2/token":
            if self.headers.get("Metadata") != "true":
                return self.answer(400, {"error": "invalid_request"})
            return self.identity("machine", query)
        if path == "/msi/token":
            if self.headers.get("X-IDENTITY-HEADER") != "header":
                return self.answer(401, {})
            return self.identity("app", query)
        self.answer(404, {})

    def identity(self, kind, query):
        token = f"{kind} {query.get('resource')} {query.get('client_id')}"
        self.answer(200, {"access_token": token, "expires_on": "4000000000", "expires_in": "3600",
                          "resource": query.get("resource"), "token_type": "Bearer"})

    def do_POST(self):
        port = self.server.server_address[1]
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        with self.lock:
            self.seen.append(f"POST {self.path}")
        if self.path.endswith(":generateAccessToken"):
            asked = json.loads(body)
            bearer = self.headers["Authorization"].removeprefix("Bearer ")
            token = f"as {self.path.split('/')[-1].split(':')[0]} for {asked['lifetime']} with ({bearer})"
            return self.answer(200, {"accessToken": token, "expireTime": "2030-01-01T00:00:00Z"})
        form = dict(urllib.parse.parse_qsl(body))
        kind = form.get("grant_type")
        if self.path == "/v1/token":
            token = f"federated {form['audience']} {form['subject_token_type']} {form['subject_token']}"
        elif self.path.endswith("/oauth2/v2.0/token"):
            tenant = self.path.split("/")[1]
            assertion = form.get("client_assertion", "")
            shown = claims(assertion, port) if assertion.count(".") == 2 else assertion
            token = f"{tenant} {form['client_id']} {form['scope']} {form.get('client_secret')} {shown}"
        elif kind == "refresh_token":
            if form["refresh_token"] == "revoked":
                return self.answer(400, {"error": "invalid_grant"})
            token = f"user {form['client_id']} {form['client_secret']} {form['refresh_token']}"
        else:
            token = f"account {claims(form['assertion'], port)}"
        self.answer(200, {"access_token": token, "expires_in": 3600, "token_type": "Bearer",
                          "issued_token_type": "urn:ietf:params:oauth:token-type:access_token"})


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), server.shutdown()), daemon=True).start()
    server.serve_forever()
