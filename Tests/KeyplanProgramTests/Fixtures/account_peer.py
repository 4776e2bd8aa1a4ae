#!/usr/bin/env python3
"""A real authorization server on a loopback port, and a gate in front of its token address that writes down what it is
asked, and can hold back or spoil what it answers. Beside it a fake of the calendars, open to the tokens that the server
gave out.

    account_peer.py FOLDER glewlwyd | django ROTATE GRACE | mock | authlib | radicale

Prints one line of JSON with the addresses. Then one command a line, each answered by a line of JSON:

    browse URL      signs in as a person would, and ends where the browser is sent
    arrive URL      signs in, and tells where the browser is sent, which does not get there
    decline URL     signs in, and says no
    device CODE     signs in on another device
    revoke HOW      ends what was granted; HOW is a name of ENDS below
    forget          has the calendars refuse all tokens that are there
    release         lets go what is held back
    restore         puts back a client that was taken away
    tokens          all that the token address has given out
    person NAME     has the calendars be another person's from now on
    log             what the token address was asked, with the status of each answer
    fault NAME      spoils answers from now on: none, hold, away, html500, empty400, empty401, busy400, 428, 429, error200,
                    denied403, partly, bare, revoked
    lifetime N      what answers say of the access token's life; 0 leaves it as it is
    held            waits until an answer is held back
    left FORM FILE  signs in with the client as another program would, and leaves its file: gcalcli's pickle, or plain json

Ends when its standard input does.
"""

import base64
import http.client
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HERE = Path(__file__).resolve().parent
PERSON = "ada@example.test"
# No beginning of any word: tests look for eight characters of it.
PASSWORD = "Kx7vQ2mZt9wLp4dRb6"
SCOPES = ["https://www.googleapis.com/auth/calendar." + name for name in ("calendarlist.readonly", "events.readonly")]
SCOPES += ["https://graph.microsoft.com/Calendars.Read", "https://graph.microsoft.com/User.Read", "https://graph.microsoft.com/.default", "offline_access"]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Person:
    """A browser with a cookie jar, which follows no redirection by itself."""

    def __init__(self):
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()), Stay)

    def ask(self, address, form=None, body=None, method=None, headers=None):
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        headers = dict(headers or {})
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        request = urllib.request.Request(address, data=data, headers=headers, method=method)
        try:
            answer = self.opener.open(request, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        return answer.status, answer.headers, answer.read().decode(errors="replace")


def query(address):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))


class Server:
    secret = "Gq8Zr2Vx5Tn1Wk7Yc3"
    # A client that lets itself in, where it is another one.
    robot = None
    # Where the program asks for tokens.
    gate = ""
    # Whether it is not what it stands for in two points: it wants a client's secret in the header, where Microsoft and Google
    # take it in the form, and knows no scopes but those of identity.
    is_narrow = False

    def start(self, words, address):
        self.log = open(self.folder / "server.log", "wb")
        self.process = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, env={**os.environ, **self.variables})
        for _ in range(1200):
            if self.process.poll() is not None:
                break
            try:
                return Person().ask(address)
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
        raise SystemExit("the server did not start:\n" + (self.folder / "server.log").read_text(errors="replace"))

    variables = {}

    def stop(self):
        self.process.kill()
        self.process.wait()

    def end_one(self):
        """RFC 7009, by somebody else who has the client's secret."""
        form = {"token": Gate.refresh, "token_type_hint": "refresh_token", "client_id": self.client, "client_secret": self.secret}
        return Person().ask(self.revocation, form=form)[0]


class Mock(Server):
    """oidc-provider-mock: a new refresh token each time, and the old one lives on, as at Microsoft."""

    client = "anything"
    is_narrow = True

    def __init__(self, folder, *_):
        self.folder = folder
        port = free_port()
        self.root = f"http://127.0.0.1:{port}"
        program = Path(sys.executable).with_name("oidc-provider-mock")
        self.start([program, "-p", str(port), "-e", "3600", "--user", PERSON], self.root)
        self.authorize, self.token = f"{self.root}/oauth2/authorize", f"{self.root}/oauth2/token"
        self.device = self.revocation = None

    def browse(self, address):
        return Person().ask(address, form={"sub": PERSON})

    def end_all(self):
        return Person().ask(f"{self.root}/users/{PERSON}/revoke-tokens", form={})[0]


class Django(Server):
    """django-oauth-toolkit: rotation, grace and reuse as one likes."""

    client = "keyplan"
    robot = "robot"

    def __init__(self, folder, rotate="1", grace="0"):
        self.folder = folder
        port = free_port()
        self.root = f"http://127.0.0.1:{port}"
        self.variables = {"PEER": json.dumps(dict(
            folder=str(folder), port=port, rotate=rotate == "1", grace=int(grace), scopes=SCOPES, person=PERSON,
            password=PASSWORD, client=self.client, secret=self.secret, robot=self.robot))}
        self.start([sys.executable, str(HERE / "django_peer.py")], f"{self.root}/login/")
        self.authorize, self.token = f"{self.root}/o/authorize/", f"{self.root}/o/token/"
        self.device, self.revocation = f"{self.root}/o/device-authorization/", f"{self.root}/o/revoke_token/"

    def person(self):
        person = Person()
        assert person.ask(f"{self.root}/login/", form={"username": PERSON, "password": PASSWORD})[0] == 200
        return person

    def browse(self, address):
        return self.person().ask(address)

    def decline(self, address):
        # The page's form as it is sent without its button.
        return self.person().ask(address.split("?")[0], form=query(address))

    def change(self, name):
        return Person().ask(f"{self.root}/{name}/", form={})[0]

    def end_all(self):
        return self.change("end-all")

    def end_client(self):
        return self.change("end-client")

    def end_account(self):
        return self.change("end-account")

    def restore(self):
        return self.change("restore")


class Glewlwyd(Server):
    """Glewlwyd: each refresh token is good for one use, and a second one ends all."""

    client = "keyplan"

    def __init__(self, folder, *_):
        self.folder = folder
        port = free_port()
        self.base = f"http://localhost:{port}/api"
        database = folder / "glewlwyd.db"
        script = Path("/usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz")
        import gzip
        with sqlite3.connect(database) as made:
            made.executescript(gzip.decompress(script.read_bytes()).decode())
        made.close()
        settings = (HERE / "glewlwyd.conf").read_text().replace("PORT", str(port)).replace("DATABASE", str(database))
        (folder / "glewlwyd.conf").write_text(settings)
        self.start([shutil.which("glewlwyd"), f"--config-file={folder}/glewlwyd.conf"], f"{self.base}/config")
        self.admin = Person()
        self.admin.ask(f"{self.base}/auth", body={"username": "admin", "password": "password"})
        plugin = json.loads((HERE / "glewlwyd_plugin.json").read_text())
        plugin["parameters"]["iss"] = f"{self.base}/oidc"
        self.provide("mod/plugin", plugin)
        for scope in SCOPES:
            self.provide("scope", {
                "name": scope, "display_name": scope, "description": scope, "password_required": True,
                "password_max_age": 0, "scheme": {}})
        self.provide("user", {
            "username": PERSON, "name": "Ada", "email": PERSON, "password": PASSWORD, "enabled": True,
            "scope": ["g_profile", "openid"] + SCOPES})
        self.redirects = ["http://127.0.0.1/"]
        self.provide("client", self.registration)
        self.authorize, self.token = f"{self.base}/oidc/auth", f"{self.base}/oidc/token"
        self.device, self.revocation = f"{self.base}/oidc/device_authorization", f"{self.base}/oidc/revoke"

    @property
    def registration(self):
        return {
            "client_id": self.client, "name": "keyplan", "confidential": True, "password": self.secret,
            "client_secret": self.secret, "enabled": True, "redirect_uri": self.redirects, "scope": SCOPES,
            "authorization_type": ["code", "refresh_token", "delete_token", "device_authorization", "client_credentials"],
            "token_endpoint_auth_method": ["client_secret_post"]}

    def provide(self, path, body):
        status, _, text = self.admin.ask(f"{self.base}/{path}/", body=body)
        if status != 200:
            raise SystemExit(f"{path}: {status} {text}")

    def person(self, scope):
        person = Person()
        person.ask(f"{self.base}/auth", body={"username": PERSON, "password": PASSWORD})
        person.ask(f"{self.base}/auth/grant/{self.client}", body={"scope": scope}, method="PUT")
        return person

    def browse(self, address):
        asked = query(address)
        # It knows exact addresses only: not, as others do, any port of this machine.
        self.redirects = [asked["redirect_uri"]]
        self.admin.ask(f"{self.base}/client/{self.client}", body=self.registration, method="PUT")
        return self.person(asked["scope"]).ask(f"{address}&g_continue&nonce=n")

    def type_in(self, code):
        person = self.person(" ".join(SCOPES))
        return person.ask(f"{self.base}/oidc/device?code={urllib.parse.quote(code)}&g_continue")

    def end_account(self):
        return self.admin.ask(f"{self.base}/user/{urllib.parse.quote(PERSON)}", method="DELETE")[0]

    def end_all(self):
        person = self.person(" ".join(SCOPES))
        status, _, text = person.ask(f"{self.base}/oidc/token/?limit=100")
        for token in json.loads(text):
            name = urllib.parse.quote(token["token_hash"], safe="")
            status = person.ask(f"{self.base}/oidc/token/{name}", method="DELETE")[0]
        return status


class Authlib(Server):
    """Authlib: takes what a service account has signed, as Google does."""

    client = "keyplan@project.iam.gserviceaccount.com"

    def __init__(self, folder, *_):
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
        public = key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
        # What Google's console gives out.
        self.secret = json.dumps({
            "type": "service_account", "project_id": "project", "private_key_id": "k1", "private_key": private,
            "client_email": self.client, "token_uri": "https://oauth2.googleapis.com/token"})
        self.folder = folder
        port = free_port()
        self.token = f"http://127.0.0.1:{port}/token"
        self.authorize, self.device, self.revocation = "", None, None
        self.variables = {"PEER": json.dumps(dict(
            port=port, client=self.client, key=public, person=PERSON, audience=f"{self.gate}/token"))}
        self.start([sys.executable, str(HERE / "authlib_peer.py")], self.token)


class Radicale(Server):
    """A CalDAV server, which takes a password and gives no tokens."""

    client = ""

    def __init__(self, folder, *_):
        self.folder = folder
        port = free_port()
        team = folder / "collections/collection-root" / PERSON / "team"
        team.mkdir(parents=True)
        (team / ".Radicale.props").write_text('{"tag": "VCALENDAR", "D:displayname": "Team"}')
        event = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//t//EN", "BEGIN:VEVENT", "UID:daily", "DTSTAMP:20261101T000000Z",
                 "DTSTART:20261102T070000Z", "DURATION:PT15M", "RRULE:FREQ=DAILY;COUNT=3", "SUMMARY:Daily\u202eliaD",
                 "END:VEVENT", "END:VCALENDAR", ""]
        (team / "daily.ics").write_text("\r\n".join(event), newline="", encoding="utf-8")
        (folder / "users").write_text(f"{PERSON}:{PASSWORD}\n")
        (folder / "config").write_text(f"""
[server]
hosts = 127.0.0.1:{port}
[auth]
type = htpasswd
htpasswd_filename = {folder}/users
htpasswd_encryption = plain
delay = 0
[storage]
filesystem_folder = {folder}/collections
""")
        self.secret = PASSWORD
        self.authorize = self.token = f"http://127.0.0.1:{port}"
        self.start([sys.executable, "-m", "radicale", "--config", str(folder / "config")], self.token)


def calendars():
    path = HERE.parent.parent / "KeyplanCalendarsTests/Fixtures/services.py"
    spec = importlib.util.spec_from_file_location("services", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def belong(person):
    """Whose calendars these are, as either service says it."""
    fake = Gate.fake
    fake.GOOGLE_CALENDARS[0].update(id=person, summary=person)
    fake.GRAPH_CALENDARS[0]["owner"]["address"] = person
    fake.GRAPH_PERSON = {"id": "1", "mail": person, "userPrincipalName": person}


class Gate(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    server_peer = None
    fake = calendars()
    lock = threading.Lock()
    log, tokens, given = [], set(), {"access_token": [], "refresh_token": []}
    refresh = None
    fault, lifetime = "none", 0
    held, release = threading.Event(), threading.Event()

    SPOILED = {
        "html500": (500, "text/html", "<html>Oops</html>", {}), "empty400": (400, "text/plain", "", {}),
        "empty401": (401, "text/plain", "", {}), "denied403": (403, "application/json", '{"error":"invalid_grant"}', {}),
        "busy400": (400, "application/json", '{"error":"temporarily_unavailable"}', {}),
        "428": (428, "application/json", '{"error":"precondition_required_by_proxy"}', {}),
        "429": (429, "application/json", '{"error":"rate_limit_exceeded"}', {"Retry-After": "1"}),
        "error200": (200, "application/json", '{"error":"invalid_grant"}', {}),
        "revoked": (400, "application/json", '{"error":"invalid_grant","error_description":"Token has been expired or revoked."}', {}),
    }

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urllib.parse.urlsplit(self.path).path
        targets = {"/token": self.server_peer.token, "/device": self.server_peer.device, "/revoke": self.server_peer.revocation}
        entry = {"path": path, "grant": dict(urllib.parse.parse_qsl(body.decode())).get("grant_type"), "status": 0}
        with self.lock:
            Gate.log.append(entry)
            fault = Gate.fault if path == "/token" else "none"
        if fault == "away":
            self.close_connection = True
            return
        if fault in self.SPOILED:
            status, kind, text, headers = self.SPOILED[fault]
            return self.answer(entry, status, kind, text.encode(), headers)
        headers = {name: self.headers[name] for name in ("Content-Type", "Authorization", "Accept") if self.headers[name]}
        form = dict(urllib.parse.parse_qsl(body.decode()))
        if self.server_peer.is_narrow and "client_secret" in form:
            if form["grant_type"] == "refresh_token":
                form.pop("scope", None)
                body = urllib.parse.urlencode(form).encode()
            pair = f"{form['client_id']}:{form['client_secret']}"
            headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
        request = urllib.request.Request(targets[path], data=body, headers=headers, method="POST")
        try:
            upstream = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            upstream = error
        data = upstream.read()
        try:
            said = json.loads(data)
        except ValueError:
            said = None
        if isinstance(said, dict) and "access_token" in said:
            Gate.tokens.add(said["access_token"])
            Gate.refresh = said.get("refresh_token", Gate.refresh)
            for name, all_given in Gate.given.items():
                all_given += [said[name]] if name in said else []
            if fault == "bare":
                said.pop("refresh_token", None)
                data = json.dumps(said).encode()
            if fault == "partly":
                said["scope"] = SCOPES[0]
                data = json.dumps(said).encode()
            if Gate.lifetime:
                said["expires_in"] = Gate.lifetime
                data = json.dumps(said).encode()
        if fault == "hold":
            Gate.held.set()
            Gate.release.wait()
        self.answer(entry, upstream.status, upstream.headers.get("Content-Type", "text/plain"), data, {})

    def answer(self, entry, status, kind, data, headers):
        entry["status"] = status
        try:
            self.send_response(status)
            for name, value in {"Content-Type": kind, **headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            pass

    def do_GET(self):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        if token in Gate.tokens:
            self.headers.replace_header("Authorization", "Bearer good")
        elif token == "good":
            self.headers.replace_header("Authorization", "Bearer bad")
        self.fake.Handler.do_GET(self)

    def log_message(self, *_):
        pass


def follow(answer):
    """What a browser does with a redirection to this machine."""
    status, headers, text = answer
    place = headers.get("Location")
    if status not in (302, 303) or not place:
        return {"status": status, "page": text[:2000]}
    host = urllib.parse.urlsplit(place)
    # keyplan listens on 127.0.0.1 alone.
    line = http.client.HTTPConnection("127.0.0.1", host.port, timeout=60)
    line.request("GET", f"{host.path}?{host.query}", headers={"Host": host.netloc})
    answer = line.getresponse()
    return {"status": answer.status, "page": answer.read().decode(), "to": place.split("?")[0]}


# What can end a grant: who runs the service, somebody by RFC 7009, the end of the client, the end of the person's account.
ENDS = {"all": "end_all", "one": "end_one", "client": "end_client", "account": "end_account"}


def left(peer, form, file):
    """What another program leaves of a sign-in of its own."""
    asked = {
        "client_id": peer.client, "redirect_uri": f"http://127.0.0.1:{free_port()}/", "response_type": "code",
        "scope": " ".join(SCOPES[:2]), "state": "s", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256"}
    _, headers, _ = peer.browse(f"{peer.authorize}?{urllib.parse.urlencode(asked)}")
    status, _, text = Person().ask(f"{Server.gate}/token", form={
        "grant_type": "authorization_code", "code": query(headers["Location"])["code"], "client_id": peer.client,
        "client_secret": peer.secret, "redirect_uri": asked["redirect_uri"],
        "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"})
    token = json.loads(text)
    known = {"client_id": peer.client, "client_secret": peer.secret, "token_uri": f"{Server.gate}/token"}
    if form == "json":
        content = {**token, **known}
    else:
        # google-auth's Credentials.to_json().
        content = {"token": token["access_token"], "refresh_token": token["refresh_token"], "scopes": SCOPES[:2], **known}
    Path(file).write_text(json.dumps(content))
    Path(file).chmod(0o600)
    return {"status": status, "page": token["refresh_token"]}


def command(peer, words):
    name, rest = words[0], words[1:]
    if name == "browse":
        return follow(peer.browse(rest[0]))
    if name == "arrive":
        return {"page": peer.browse(rest[0])[1].get("Location")}
    if name == "decline":
        return follow(peer.decline(rest[0]))
    if name == "device":
        return {"status": peer.type_in(rest[0])[0]}
    if name == "revoke":
        status = getattr(peer, ENDS[rest[0]])()
        # What the services' calendars do of themselves: they ask where the token came from.
        Gate.tokens.clear()
        return {"status": status}
    if name == "forget":
        Gate.tokens.clear()
        return {}
    if name == "release":
        Gate.fault = "none"
        Gate.release.set()
        return {}
    if name == "restore":
        return {"status": peer.restore()}
    if name == "tokens":
        return {"tokens": Gate.given}
    if name == "person":
        belong(rest[0])
        return {}
    if name == "log":
        with Gate.lock:
            return {"log": [dict(entry) for entry in Gate.log]}
    if name == "fault":
        Gate.held.clear()
        Gate.release.clear()
        Gate.fault = rest[0]
        return {}
    if name == "lifetime":
        Gate.lifetime = int(rest[0])
        return {}
    if name == "left":
        return left(peer, *rest)
    if name == "held":
        return {"held": Gate.held.wait(600)}
    return {"error": f"unknown command {name}"}


def main():
    folder, kind, *options = sys.argv[1:]
    belong(PERSON)
    gate = ThreadingHTTPServer(("127.0.0.1", 0), Gate)
    gate.daemon_threads = True
    root = Server.gate = f"http://127.0.0.1:{gate.server_address[1]}"
    kinds = {"mock": Mock, "django": Django, "glewlwyd": Glewlwyd, "authlib": Authlib, "radicale": Radicale}
    peer = kinds[kind](Path(folder), *options)
    try:
        Gate.server_peer = peer
        threading.Thread(target=gate.serve_forever, daemon=True).start()
        print(json.dumps({
            "authorize": peer.authorize, "root": root, "client": peer.client, "robot": peer.robot or peer.client,
            "secret": peer.secret, "person": PERSON, "upstream": peer.token}), flush=True)
        for line in sys.stdin:
            try:
                answer = command(peer, line.split())
            except Exception as error:  # told to the test, which fails with it
                answer = {"error": repr(error)}
            print(json.dumps(answer), flush=True)
    finally:
        peer.stop()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
