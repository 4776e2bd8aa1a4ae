"""A fake of Kubernetes' API server, for one request: it reviews the tokens of service accounts, which OpenBao sends.

usage: tokenreview.py CERTIFICATE KEY

Writes its port. It accepts every token, as the service account that the token names.
"""

import base64
import http.server
import json
import ssl
import sys


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        part = review["spec"]["token"].split(".")[1]
        claims = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
        review["status"] = {
            "authenticated": True,
            "user": {"username": claims["sub"], "uid": "1", "groups": ["system:serviceaccounts"]},
            "audiences": review["spec"].get("audiences"),
        }
        body = json.dumps(review).encode()
        self.send_response(201)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(*sys.argv[1:3])
server.socket = context.wrap_socket(server.socket, server_side=True)
print(server.server_address[1], flush=True)

import threading

threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
