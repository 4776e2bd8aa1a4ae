"""Two https servers and an http one for a folder of files, which ask for a credential.

Prints their ports. Whoever asks for /moved/PATH is sent to the same path at the address in the file `elsewhere`.
Each request is a line of the file `log`: the port's number in the list, the path, and the credential that came with it.
"""
import base64, functools, http.server, os, ssl, sys, threading

folder, password = sys.argv[1], sys.argv[2]


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        sent = self.headers.get("Authorization", "")
        shown = base64.b64decode(sent[6:]).decode() if sent.startswith("Basic ") else sent
        with open(folder + "/log", "a") as log:
            log.write(f"{servers.index(self.server)} {self.path} {shown}\n")
        if self.path.startswith("/moved/"):
            self.send_response(302)
            self.send_header("Location", open(folder + "/elsewhere").read().strip() + self.path[6:])
            return self.end()
        if shown.removeprefix("Bearer ").split(":")[-1] != password:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="here"')
            return self.end()
        super().do_GET()

    def end(self):
        # Otherwise the end of the connection ends the answer, which GnuTLS takes for an attack.
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *words):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder + "/cert.pem", folder + "/key.pem")
handler = functools.partial(Handler, directory=folder + "/served")
servers = [http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) for _ in range(3)]
for server in servers[:2]:
    server.socket = context.wrap_socket(server.socket, server_side=True)
for server in servers:
    threading.Thread(target=server.serve_forever, daemon=True).start()
print(*[server.server_port for server in servers], flush=True)
sys.stdin.read()
