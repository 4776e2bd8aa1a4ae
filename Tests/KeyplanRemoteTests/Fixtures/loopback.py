"""What the fakes have in common: a server on loopback, and answers that arrive or are lost."""
import http.server
import sys
import threading


class Server(http.server.ThreadingHTTPServer):
    # All tests connect at the same time.
    request_queue_size = 1024
    daemon_threads = True


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    content_type = "application/json"

    def send(self, status, headers, body):
        self.send_response(status)
        headers = {"content-type": self.content_type, **(headers or {}), "content-length": str(len(body))}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def drop(self):
        self.close_connection = True
        self.connection.shutdown(2)

    def log_message(self, *_):
        pass


def serve(handler, greeting="http://127.0.0.1:{}"):
    """Prints where it is, and serves until whoever started it ends."""
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(greeting.format(server.server_port), flush=True)
    sys.stdin.read()
