"""Forwards requests to a service on this machine, and keeps what was sent.

usage: service_proxy.py PORT FOLDER PREFIX     the port of the service, and the beginning of the paths of tunnelled requests

Writes its own port. It is the service itself, or a proxy with CONNECT: then it answers as the host of `server.pem` in FOLDER, and
every host is the service.

FOLDER/lines    the method and path of each request
FOLDER/sent     the headers and the content of each request
FOLDER/echo     if it is there: every request is answered with this status, and with its own headers and content
FOLDER/fail     if it is there: a number and a regular expression as that of `armed`. Requests that match it are answered with 500 and not
                forwarded, but for the first ones; how many there were is in FOLDER/matched
FOLDER/exchange if it is there: requests are forwarded with this in the place of PREFIX
FOLDER/armed    if it is there: a regular expression. The first request whose `METHOD PATH TARGET CONTENT` matches it is forwarded, its answer
                is read to the end, the file is removed, and the process whose number is in FOLDER/pid is killed instead of getting
                the answer
"""
import http.client
import http.server
import json
import os
import re
import signal
import socket
import ssl
import sys
import threading

UPSTREAM, FOLDER, PREFIX = int(sys.argv[1]), sys.argv[2], sys.argv[3]
LOCK = threading.Lock()


def path(name):
    return os.path.join(FOLDER, name)


def is_deadly(text):
    with LOCK:
        if not os.path.exists(path("armed")):
            return False
        with open(path("armed")) as file:
            if not re.search(file.read().strip(), text, re.S):
                return False
        os.unlink(path("armed"))
        return True


def has_failed(text):
    with LOCK:
        if not os.path.exists(path("fail")):
            return False
        with open(path("fail")) as file:
            count, _, pattern = file.read().strip().partition(" ")
        if not re.search(pattern, text, re.S):
            return False
        with open(path("matched"), "a") as file:
            file.write("x")
        return os.path.getsize(path("matched")) > int(count)


def keep(name, data):
    with LOCK, open(path(name), "ab") as file:
        file.write(data + b"\n")


def echoed(text):
    """The places in which services put words about an error, or the name of who is signed in."""
    inner = {"message": text, "code": text, "detail": text, "reason": text, "name": text, "type": text}
    return {**inner, "error": inner, "errors": [inner, text], "messages": [text], "errorMessages": [text], "__type": text,
            "Message": text, "Error": inner, "error_description": text, "serverErrorCode": text, "kind": "Status",
            "details": {"causes": [inner]}, "success": False, "id": text, "warnings": [text],
            "login": text, "username": text, "email": text, "user": {"username": text}, "data": {**inner, "display_name": text},
            "slug": text, "result": {"status": text}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    is_tunnelled = False

    def do_CONNECT(self):
        self.send_response_only(200)
        self.end_headers()
        self.wfile.flush()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path("server.pem"), path("server.key"))
        self.connection = context.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", 0)
        self.is_tunnelled, self.close_connection = True, False

    def forward(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        place = (PREFIX if self.is_tunnelled else "") + self.path
        head = "\n".join(f"{name}: {value}" for name, value in self.headers.items())
        keep("lines", f"{self.command} {self.path}".encode())
        keep("sent", head.encode() + b"\n" + body)
        if os.path.exists(path("echo")):
            with open(path("echo")) as file:
                status = int(file.read())
            text = f"{self.command} {self.path} {head} {body.decode('utf-8', 'replace')}"
            return self.answer(status, [("Content-Type", "application/json")], json.dumps(echoed(text)).encode())
        # What AWS is asked to do is in a header, and what GraphQL is asked to do in the content.
        target = self.headers.get("X-Amz-Target", "")
        text = f"{self.command} {place} {target} {body.decode('utf-8', 'replace')}"
        if has_failed(text):
            return self.answer(500, [("Content-Type", "application/json")], b"{}")
        if os.path.exists(path("exchange")):
            with open(path("exchange")) as file:
                place = file.read() + place.removeprefix(PREFIX)
        is_last = is_deadly(text)
        connection = http.client.HTTPConnection("127.0.0.1", UPSTREAM)
        # With the host that the program asked for: a signature covers it.
        connection.request(self.command, place, body or None, dict(self.headers.items()))
        answer = connection.getresponse()
        data = answer.read()
        if is_last:
            with open(path("pid")) as file:
                os.kill(int(file.read()), signal.SIGKILL)
            self.close_connection = True
            return None
        return self.answer(answer.status, answer.getheaders(), data)

    def answer(self, status, headers, data):
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def finish_request(self, request, client_address):
        try:
            request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
            super().finish_request(request, client_address)
        except OSError:  # the program was killed
            pass


SERVER = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
print(SERVER.server_port, flush=True)
sys.stdin.read()
