"""A fake of the service that issues OpenID Connect tokens to jobs of GitHub Actions.

usage: githubtoken.py TOKEN

Writes its port. It answers with the token if the job's credential is "job" and an audience is named.
"""

import http.server
import json
import sys
import threading
import urllib.parse


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        is_right = self.headers["Authorization"] == "Bearer job" and "audience" in query and "api-version" in query
        body = json.dumps({"count": 1, "value": sys.argv[1]} if is_right else {"message": "no"}).encode()
        self.send_response(200 if is_right else 401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
