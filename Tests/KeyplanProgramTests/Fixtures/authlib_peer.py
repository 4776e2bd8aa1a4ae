"""Authlib as a server on a loopback port that takes what service accounts sign (RFC 7523), for account_peer.py, which says
in PEER who may."""

import json
import os

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import ClientMixin
from authlib.oauth2.rfc7523 import JWTBearerGrant
from flask import Flask, g
from joserfc.jwk import RSAKey
from waitress import serve

PEER = json.loads(os.environ["PEER"])


class Client(ClientMixin):
    def get_client_id(self):
        return PEER["client"]

    def check_grant_type(self, grant_type):
        return grant_type == JWTBearerGrant.GRANT_TYPE

    def get_allowed_scope(self, scope):
        return g.scope


class Signed(JWTBearerGrant):
    # To the second: what stands on this machine has its clock.
    LEEWAY = 0
    CLAIMS_OPTIONS = {**JWTBearerGrant.CLAIMS_OPTIONS, "sub": {"essential": True}, "iat": {"essential": True}}

    def process_assertion_claims(self, assertion):
        claims = super().process_assertion_claims(assertion)
        # As Google has it: in what is signed, and not beside it.
        g.scope = claims["scope"]
        return claims

    def get_audiences(self):
        return [PEER["audience"]]

    def resolve_issuer_client(self, issuer):
        return Client() if issuer == PEER["client"] else None

    def resolve_client_public_key(self, client):
        return RSAKey.import_key(PEER["key"])

    def authenticate_user(self, subject):
        return subject if subject == PEER["person"] else None

    def has_granted_permission(self, client, user):
        return True


app = Flask(__name__)
server = AuthorizationServer(app, query_client=lambda _: None, save_token=lambda token, request: None)
server.scopes_supported = None
server.register_grant(Signed)


@app.post("/token")
def token():
    return server.create_token_response()


if __name__ == "__main__":
    serve(app, host="127.0.0.1", port=PEER["port"], threads=2)
