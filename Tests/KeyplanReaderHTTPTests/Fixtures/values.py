"""A service with one value, which counts the requests for it, and serves until standard input ends.

    GET /maps      the value, with an ETag
    GET /_/count   how often it was asked for
    PUT /_/value   another value
    PUT /_/status  the status of answers from now on
"""
import http.server
import os
import sys
import threading

LOCK = threading.Lock()
STATE = {"value": "made-up-1", "count": 0, "status": 200}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", tag=None):
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        with LOCK:
            if self.path == "/_/count":
                return self.answer(200, str(STATE["count"]).encode())
            STATE["count"] += 1
            value, status = STATE["value"], STATE["status"]
        tag = f'"{value}"'
        if status != 200:
            self.answer(status)
        elif self.headers.get("If-None-Match") == tag:
            self.answer(304, tag=tag)
        else:
            self.answer(200, value.encode(), tag)

    def do_PUT(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        with LOCK:
            STATE[self.path[3:]] = int(text) if self.path == "/_/status" else text
        self.answer(204)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
