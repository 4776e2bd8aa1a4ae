#!/usr/bin/env python3
"""Writes the fixtures of this folder again: what other programs leave of a sign-in. Every value is made up.

  pip install google-auth==2.62.2 requests-oauthlib==2.0.0 msal==1.39.0 cryptography==50.0.2
  ./make.py

gcalcli-4.3.json           written by hand after gcalcli's tests/data/legacy_oauth_creds.json (oauth2client)
vdirsyncer.json            json.dump of oauthlib's token, as vdirsyncer does it
authorized-user.json       google-auth's Credentials.to_json
msal.json                  MSAL's SerializableTokenCache with two accounts of one client, and one of another
pizauth.dump               made by hand after pizauth's src/server/state.rs and src/config.rs: no pizauth was at hand
"""
import datetime
import json
import struct
from pathlib import Path

from google.oauth2.credentials import Credentials

HERE = Path(__file__).parent
SCOPE = "https://www.googleapis.com/auth/calendar"
GOOGLE = {
    "client_id": "123-abc.apps.googleusercontent.com",
    "client_secret": "made-up-client-secret",
    "refresh_token": "1//0g-made-up-refresh-token",
    "token_uri": "https://oauth2.googleapis.com/token",
}


def credentials():
    expiry = datetime.datetime(2026, 11, 21, 9, 30, 0, 7)
    return Credentials("ya29.made-up-access-token", scopes=[SCOPE], expiry=expiry, **GOOGLE)


def gcalcli():
    legacy = dict(GOOGLE, access_token="ya29.made-up-access-token", token_expiry="2026-11-21T09:30:00Z")
    legacy.update(user_agent="gcalcli/v4.3.0", id_token=None, scopes=[SCOPE], invalid=False)
    legacy.update(_class="OAuth2Credentials", _module="oauth2client.client")
    (HERE / "gcalcli-4.3.json").write_text(json.dumps(legacy))
    (HERE / "authorized-user.json").write_text(credentials().to_json())


def vdirsyncer():
    from oauthlib.oauth2.rfc6749.parameters import parse_token_response

    answer = {
        "access_token": "ya29.made-up-access-token", "expires_in": 3599, "refresh_token": GOOGLE["refresh_token"],
        "scope": SCOPE, "token_type": "Bearer",
    }
    token = parse_token_response(json.dumps(answer), scope=[SCOPE])
    (HERE / "vdirsyncer.json").write_text(json.dumps(token))


def msal():
    import base64

    from msal import SerializableTokenCache

    def encoded(claims):
        return base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")

    cache = SerializableTokenCache()
    for number, (client, user) in enumerate(
        [("c1c1c1c1", "ada@example.com"), ("c1c1c1c1", "bob@example.com"), ("d2d2d2d2", "ada@example.com")]
    ):
        cache.add({
            "client_id": client, "scope": ["https://graph.microsoft.com/Calendars.Read"],
            "token_endpoint": "https://login.microsoftonline.com/common/oauth2/v2.0/token",
            "response": {
                "access_token": f"made-up-access-{number}", "refresh_token": f"M.made-up-refresh-{number}",
                "expires_in": 3599, "token_type": "Bearer",
                "client_info": encoded({"uid": user[:3], "utid": "t1"}),
                "id_token": ".".join([encoded({}), encoded({"preferred_username": user, "oid": user}), "x"]),
            },
        })
    (HERE / "msal.json").write_text(json.dumps(json.loads(cache.serialize()), indent=1))


def pizauth():
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

    def string(text):
        return struct.pack("<Q", len(text.encode())) + text.encode()

    def optional(text):
        return b"\0" if text is None else b"\1" + string(text)

    def listed(items):
        return struct.pack("<Q", len(items)) + b"".join(items)

    def account(name, client, hint, refresh, host):
        fields = listed([string("login_hint") + string(hint)] if hint else [])
        dump = string(f"https://{host}/authorize") + fields + string(client) + optional("made-up-client-secret")
        dump += string("http://localhost/") + listed([string(SCOPE)]) + string(f"https://{host}/token")
        if refresh is False:
            return string(name) + dump + struct.pack("<I", 0)
        times = struct.pack("<QI", 1795253400, 7) + struct.pack("<QI", 1795257000, 7)
        return string(name) + dump + struct.pack("<I", 1) + string("made-up-access") + times + optional(refresh)

    key = bytes.fromhex("66a247a85e48cfecaaed9b36eba97d5350d4286375097a44eeffb9c4546b65a3")
    google = "oauth2.googleapis.com"
    accounts = [
        account("home", GOOGLE["client_id"], "ada@gmail.com", "1//0g-of-pizauth-home", google),
        account("club", GOOGLE["client_id"], None, "1//0g-of-pizauth-club", google),
        account("work", "c1c1c1c1", "ada@example.com", "M.of-pizauth-work", "login.microsoftonline.com"),
        account("idle", "d2d2d2d2", None, False, "login.microsoftonline.com"),
        account("short", "e3e3e3e3", None, None, "login.microsoftonline.com"),
    ]
    nonce = bytes(range(12))
    for name, version, more in [("pizauth.dump", 1, b""), ("pizauth-2.dump", 2, b""), ("pizauth-more.dump", 1, b"\0")]:
        plain = struct.pack("<Q", version) + listed(accounts) + more
        (HERE / name).write_bytes(nonce + ChaCha20Poly1305(key).encrypt(nonce, plain, None))


gcalcli()
vdirsyncer()
msal()
pizauth()
