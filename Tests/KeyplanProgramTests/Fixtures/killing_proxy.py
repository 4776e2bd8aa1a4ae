"""Forwards requests to a service on this machine. It kills a program between the effect of a request and its answer.

usage: killing_proxy.py PORT FOLDER     the port of the service

Writes its own port. If FOLDER has a file `armed`, which contains a regular expression, the first request whose `METHOD PATH
TARGET` matches it is forwarded, its answer is read to the end, the file is removed, and the process whose number is in FOLDER/pid is
killed instead of getting the answer.
"""
import http.client
import http.server
import os
import re
import signal
import sys
import threading

UPSTREAM, FOLDER = int(sys.argv[1]), sys.argv[2]
ARMED = os.path.join(FOLDER, "armed")
LOCK = threading.Lock()


def is_deadly(line):
    with LOCK:
        if not os.path.exists(ARMED):
            return False
        with open(ARMED) as file:
            if not re.search(file.read().strip(), line):
                return False
        os.unlink(ARMED)
        return True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        # What AWS is asked to do is in a header.
        is_last = is_deadly(f"{self.command} {self.path} {self.headers.get('X-Amz-Target', '')}")
        connection = http.client.HTTPConnection("127.0.0.1", UPSTREAM)
        # With the host that the program asked for: a signature covers it.
        connection.request(self.command, self.path, body or None, dict(self.headers.items()))
        answer = connection.getresponse()
        data = answer.read()
        if is_last:
            with open(os.path.join(FOLDER, "pid")) as file:
                os.kill(int(file.read()), signal.SIGKILL)
            self.close_connection = True
            return
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    def log_message(self, *_):
        pass


SERVER = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
print(SERVER.server_port, flush=True)
sys.stdin.read()
