#!/usr/bin/env python3
"""An ordinary HTTP server, a hostile one, one that records whoever comes, TLS in four ways, and two proxies.

usage: server.py CERTIFICATES     (a folder, see make-certificates.sh)

Prints its ports as one line of JSON and ends with the process that started it. What was received is told by GET /seen.
"""
import warnings, base64, collections, gzip, json, os, socket, ssl, struct, sys, threading, time, urllib.parse, zlib

warnings.simplefilter("ignore")  # Old TLS is what a test is about.
PARENT = os.getppid()
LOCK, THREAD = threading.RLock(), threading.local()
COUNTS = collections.Counter()
SENT = collections.Counter()
SEEN = {"trap": [], "proxy": [], "connections": 0}
WHOLE = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 23\r\n\r\n{"access_token":"fine"}'
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n"


def listen(serve, context=None):
    """Serves each connection on a thread; the answer is the port."""
    server = socket.create_server(("127.0.0.1", 0), backlog=128)

    def accept():
        while True:
            connection, _ = server.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=talk, args=(connection,), daemon=True).start()

    def talk(connection):
        try:
            if context:
                connection = context.wrap_socket(connection, server_side=True)
            serve(connection)
        except (OSError, ValueError):
            pass
        finally:
            connection.close()

    threading.Thread(target=accept, daemon=True).start()
    return server.getsockname()[1]


def read_request(connection, rest):
    """One request: (method, path, header lines, body, what follows), or None at the end."""
    while b"\r\n\r\n" not in rest:
        more = connection.recv(65536)
        if not more:
            return None
        rest += more
        if rest[0] == 22:  # TLS
            return None
    head, _, rest = rest.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    method, path, _ = lines[0].split(" ")
    length = next((int(l.split(":")[1]) for l in lines[1:] if l.lower().startswith("content-length:")), 0)
    while len(rest) < length:
        rest += connection.recv(65536)
    return method, path, lines[1:], rest[:length], rest[length:]


def send(connection, data):
    """Counts what it sends, by the path asked for."""
    connection.sendall(data)
    with LOCK:
        SENT[THREAD.path] += len(data)


def answer(connection, status=200, body=b"", **headers):
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    send(connection, f"HTTP/1.1 {status} X\r\n{lines}Content-Length: {len(body)}\r\n\r\n".encode() + body)


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    raise ValueError


def bomb(connection, layers):
    """300 MB of zeros, packed."""
    send(connection, f"HTTP/1.1 200 OK\r\nContent-Encoding: {', '.join(['gzip'] * layers)}\r\n\r\n".encode())
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    first, again = (packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(2))
    packed = first + again * 299 + packer.flush()
    for _ in range(layers - 1):
        packed = gzip.compress(packed)
    send(connection, packed)


def page(connection, method, path, headers, body, calls, on_connection):
    """Answers one request."""
    THREAD.path = path
    url = urllib.parse.urlsplit(path)
    query = dict(urllib.parse.parse_qsl(url.query))
    name, *arguments = url.path.strip("/").split("/")
    number = int(arguments[0]) if arguments and arguments[0].lstrip("-").isdigit() else 0
    if name == "echo":
        seen = {"method": method, "path": path, "headers": headers, "body": base64.b64encode(body).decode()}
        answer(connection, body=json.dumps(seen).encode(), Content_Type="application/json")
    elif name == "mirror":
        answer(connection, body=body)
    elif name == "seen":
        with LOCK:
            answer(connection, body=json.dumps({**SEEN, "counts": COUNTS, "sent": SENT}).encode())
    elif name == "status":
        answer(connection, number, b"{}", **{k: v for k, v in query.items()})
    elif name == "flaky":  # /flaky/COUNT/STATUS: that often, then 200
        wrong = calls <= number
        answer(connection, int(arguments[1]) if wrong else 200, b"" if wrong else b"at last", **(query if wrong else {}))
    elif name == "gzip":
        answer(connection, body=gzip.compress(b"unpacked"), Content_Encoding="gzip")
    elif name == "bytes":
        answer(connection, body=b"x" * number)
    elif name == "interim":
        send(connection, b"HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\n")
        answer(connection, body=b"final")
    elif name == "trailer":
        send(connection, b"HTTP/1.1 200 OK\r\nX-A: head\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-A: trailer\r\n\r\n")
    elif name == "close":
        send(connection, b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil closed")
        raise ValueError
    elif name == "once":  # answers the first request on a connection, and hangs up on the next
        if on_connection > 1:
            raise ValueError
        answer(connection, body=b"first")
    elif name == "endless":
        send(connection, b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            send(connection, b"x" * 65536)
    elif name == "endless-chunks":
        send(connection, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            send(connection, b"1\r\nx\r\n" * 1000)
    elif name == "slow":
        send(connection, b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while True:
            send(connection, b"x")
            time.sleep(0.05)
    elif name == "slow-head":
        for byte in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"x" * 100000:
            send(connection, bytes([byte]))
            time.sleep(0.05)
    elif name == "silent":
        time.sleep(3000)
    elif name == "bomb":
        bomb(connection, max(1, number))
    elif name == "headers":
        send(connection, b"HTTP/1.1 200 OK\r\n")
        for index in range(number // 100):
            send(connection, b"X-%08d: %s\r\n" % (index, b"y" * 86))
    elif name == "header":
        send(connection, b"HTTP/1.1 200 OK\r\nX-Long: ")
        for _ in range(number // 65536):
            send(connection, b"y" * 65536)
    elif name == "endless-interim":
        while True:
            send(connection, b"HTTP/1.1 100 Continue\r\nX-Again: yes\r\n\r\n" * 100)
    elif name == "garbage":
        send(connection, {0: os.urandom(5000), 1: b"\0" * 5000, 2: b"SSH-2.0-x\r\n", 3: b"HTTP/1.1 abc\r\n\r\n",
            4: b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nx", 5: b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nno",
            6: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", 7: b"\r\n\r\n\r\n",
            8: b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nx",
            9: b"HTTP/1.1 99999999 OK\r\n\r\n"}[number])
        raise ValueError
    elif name == "reset":
        send(connection, WHOLE[:number])
        time.sleep(0.02)
        reset(connection)
    elif name in ("cut", "cut-chunked"):
        send(connection, (WHOLE if name == "cut" else CHUNKED)[:number])
        raise ValueError
    elif name == "deep":  # JSON, as deep as a megabyte allows
        answer(connection, body=b"[" * 500_000 + b"]" * 500_000, Content_Type="application/json")
    elif name == "login":  # a captive portal
        answer(connection, body=b"<!DOCTYPE html><title>Sign in</title><form><input name=user></form>", Content_Type="text/html")
    elif name == "parrot":  # an error that repeats what was sent
        said = "\\u001b[31m" + body.decode("latin-1") + " ".join(headers)
        words = json.dumps({"message": said, "error": said, "errors": [said], "Message": said, "__type": said})
        answer(connection, number, words.encode(), Content_Type="application/json", X_Reason="evil")
    elif name == "redirect":
        answer(connection, number, b"elsewhere", Location=query["to"])
    else:
        answer(connection, 404)


def serve(connection):
    rest, on_connection = b"", 0
    with LOCK:
        SEEN["connections"] += 1
    while True:
        request = read_request(connection, rest)
        if not request:
            return
        on_connection += 1
        with LOCK:
            COUNTS[request[1]] += 1
            calls = COUNTS[request[1]]
        page(connection, *request[:4], calls, on_connection)
        rest = request[4]


def trap(connection):
    """Whoever comes here was led here."""
    with LOCK:
        SEEN["trap"].append("")
        index = len(SEEN["trap"]) - 1
    while data := connection.recv(65536):
        with LOCK:
            SEEN["trap"][index] += data.decode("latin-1")
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")


def proxy(status):
    """Tunnels to the port asked for on this machine, whatever the name; or answers with a status."""

    def pump(source, sink):
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for one in (source, sink):
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def tunnel(connection):
        method, place, headers, _, _ = read_request(connection, b"")
        with LOCK:
            SEEN["proxy"].append({"line": f"{method} {place}", "headers": headers})
        if status != 200:
            return answer(connection, status, b"no")
        connection.sendall(b"HTTP/1.1 200 OK\r\nX-Proxy: yes\r\n\r\n")
        with socket.create_connection(("127.0.0.1", int(place.rpartition(":")[2]))) as there:
            threading.Thread(target=pump, args=(connection, there), daemon=True).start()
            pump(there, connection)

    return tunnel


def context(name, latest=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if latest:
        made.set_ciphers("ALL:@SECLEVEL=0")
        made.minimum_version, made.maximum_version = ssl.TLSVersion.TLSv1, latest
    made.load_cert_chain(f"{sys.argv[1]}/{name}.pem", f"{sys.argv[1]}/{name}.key")
    return made


print(json.dumps({
    "http": listen(serve), "trap": listen(trap), "tls": listen(serve, context("localhost")),
    "otherHost": listen(serve, context("service.example")), "expired": listen(serve, context("expired")),
    "old": listen(serve, context("localhost", ssl.TLSVersion.TLSv1_1)),
    "proxy": listen(proxy(200)), "denying": listen(proxy(407)),
}), flush=True)
while os.getppid() == PARENT:
    time.sleep(0.2)
os._exit(0)
