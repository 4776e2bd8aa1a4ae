"""A job of GitHub Actions without stored credentials, and the OpenBao that it signs in at: a real OpenBao, which knows the key
of a fake of GitHub's token service.

usage: keyless.py PROGRAM FOLDER

Writes one line of JSON: the addresses of OpenBao (`vault`) and of the token service (`token`). The service signs a token for
each request with the credential "job". OpenBao accepts those of the repository acme/shop under the role `ci`, which may read
`secret/shop` and decrypt with the key `keyplan`.
"""
import base64
import http.server
import json
import os
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

try:
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import padding, rsa
except ImportError:
    python = os.environ.get("KEYPLAN_TEST_PYTHON")
    if not python or os.environ.get("KEYPLAN_FAKE_STARTED"):
        raise
    os.environ["KEYPLAN_FAKE_STARTED"] = "1"
    os.execv(python, [python] + sys.argv)

KEY = rsa.generate_private_key(65537, 2048)
ISSUER = "https://token.actions.githubusercontent.com"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(audience):
    now = int(time.time())
    claims = {
        "iss": ISSUER, "aud": audience, "sub": "repo:acme/shop:ref:refs/heads/main", "repository": "acme/shop",
        "iat": now, "nbf": now - 60, "exp": now + 300,
    }
    text = ".".join(encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT"}, claims))
    return text + "." + encoded(KEY.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256()))


class Bao:
    def __init__(self):
        here = os.path.dirname(os.path.abspath(__file__))
        self.process = subprocess.Popen(
            [sys.executable, os.path.join(here, "openbao.py")] + sys.argv[1:3], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        self.address = json.loads(self.process.stdout.readline())["address"]
        public = KEY.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
        self.ask("POST", "sys/auth/jwt", {"type": "jwt"})
        self.ask("POST", "auth/jwt/config", {"jwt_validation_pubkeys": [public], "bound_issuer": ISSUER})
        self.ask("POST", "sys/mounts/transit", {"type": "transit"})
        self.ask("POST", "transit/keys/keyplan", {"derived": True})
        self.ask("PUT", "sys/policies/acl/shop", {"policy": '''
            path "secret/data/shop" { capabilities = ["read"] }
            path "transit/decrypt/keyplan" { capabilities = ["update"] }'''})
        self.ask("POST", "auth/jwt/role/ci", {
            "role_type": "jwt", "user_claim": "sub", "bound_audiences": ["keyplan"],
            "bound_claims": {"repository": "acme/shop"}, "token_policies": ["shop"], "token_ttl": "10m",
        })
        self.ask("POST", "secret/data/shop", {"data": {"payments": "example-payments-first"}})

    def ask(self, method, path, body):
        request = urllib.request.Request(
            f"{self.address}/v1/{path}", json.dumps(body).encode(), {"X-Vault-Token": "root"}, method=method)
        urllib.request.urlopen(request).read()


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        audience = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query).get("audience")
        if self.headers["Authorization"] != "Bearer job" or not audience:
            return self.answer(401, {"message": "no"})
        self.answer(200, {"count": 1, "value": token(audience[0])})

    def log_message(self, *_):
        pass


BAO = Bao()
SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
print(json.dumps({"vault": BAO.address, "token": f"http://127.0.0.1:{SERVER.server_port}/?api-version=2.0"}), flush=True)
sys.stdin.read()
BAO.process.stdin.close()
BAO.process.wait()
