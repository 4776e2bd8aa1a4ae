"""Starts OpenBao's development server, and serves until standard input ends.

usage: openbao.py PROGRAM FOLDER [tls]

Writes one line of JSON: its address, the key that unseals it, and with `tls` the certificate of its authority.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request

program, folder = sys.argv[1:3]
tls = "tls" in sys.argv[3:]


def die_with_parent():
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def start():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = [program, "server", "-dev-tls" if tls else "-dev", "-dev-root-token-id=root", "-dev-no-store-token"]
    words += [f"-dev-listen-address=127.0.0.1:{port}"] + ([f"-dev-tls-cert-dir={folder}"] if tls else [])
    log = open(os.path.join(folder, "log"), "wb")
    environment = {"PATH": os.environ["PATH"], "HOME": folder}
    server = subprocess.Popen(
        words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, preexec_fn=die_with_parent)
    return server, port


def find(name):
    with open(os.path.join(folder, "log")) as log:
        for line in log:
            if line.startswith(name):
                return line.split(": ", 1)[1].strip()
    return None


server, port = start()
# The last line that it writes. It serves before, but a connection now would be logged, and it writes the line when it has
# logged nothing for a while.
while find("Root Token") is None:
    if server.poll() is not None:
        sys.exit(open(os.path.join(folder, "log")).read()[-2000:])
    time.sleep(0.02)

answer = {"address": f"{'https' if tls else 'http'}://127.0.0.1:{port}", "unseal": find("Unseal Key")}
if tls:
    authority = [name for name in os.listdir(folder) if name.endswith("ca.pem")]
    answer["authority"] = os.path.join(folder, authority[0])
print(json.dumps(answer), flush=True)
sys.stdin.read()
server.kill()
