#!/usr/bin/env python3
"""Fakes of services on this machine, for measuring: Microsoft's calendars, as the tests have them, with a token for whoever
asks; and a page that costs its server next to nothing. As a program it prints their ports and ends when its standard input
does."""

import contextlib
import importlib.util
import json
import os
import socket
import subprocess
import sys
import threading
from http.server import ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))


@contextlib.contextmanager
def running():
    """The ports of the calendars and of the page."""
    with subprocess.Popen(
        [sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield tuple(map(int, process.stdout.readline().split()))
        finally:
            process.stdin.close()


def manifest(port):
    """One account that lets itself in."""
    return f"""version: 1
calendars:
  work:
    service: outlook
    account: ada@example.com
    calendar: Month
    signIn: clientCredentials
    client: {{ id: made-up, secret: dotenv://.env#SECRET, tenant: example.com }}
    endpoints: {{ token: "http://127.0.0.1:{port}/token", api: "http://127.0.0.1:{port}/v1.0" }}
"""


def handler():
    path = os.path.join(HERE, "..", "Tests", "KeyplanCalendarsTests", "Fixtures", "services.py")
    spec = importlib.util.spec_from_file_location("fakes", path)
    fakes = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fakes)

    class Handler(fakes.Handler):
        wbufsize = -1

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            data = json.dumps({"access_token": "good", "token_type": "Bearer", "expires_in": 86400}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler


def answer(visitor):
    page = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
    asked = b""
    with visitor:
        while data := visitor.recv(65536):
            asked += data
            while b"\r\n\r\n" in asked:
                asked = asked.split(b"\r\n\r\n", 1)[1]
                visitor.sendall(page)


def answer_all(listening):
    while True:
        threading.Thread(target=answer, args=(listening.accept()[0],), daemon=True).start()


def main():
    calendars = ThreadingHTTPServer(("127.0.0.1", 0), handler())
    threading.Thread(target=calendars.serve_forever, daemon=True).start()
    page = socket.create_server(("127.0.0.1", 0), backlog=64)
    threading.Thread(target=answer_all, args=(page,), daemon=True).start()
    print(calendars.server_address[1], page.getsockname()[1], flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
