"""Judges the fake of a provider that makes keys with the vendor's own client: it lists what keyplan made, makes a key that
keyplan finds and revokes, and revokes one of keyplan's.

Usage: judge_keys.py PROVIDER ADDRESS TASK. The task, as JSON:

    present   the ids of all keys, with their names (null where keys have none)
    mint      the name of the key that the client makes
    revoke    the ids that the client revokes
    disable   the ids that the client disables

The output is one line of JSON with the id and the value of the key that was made. Differences are written to standard error,
and the exit code is 1.
"""
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import uuid

ACCOUNT = "projects/proj/serviceAccounts/ci@proj.iam.gserviceaccount.com"
APPLICATION = "00000000-0000-0000-0000-00000000000a"


class Missing(Exception):
    """The provider says that there is no such key."""


class OpenAI:
    def __init__(self, address, token="good"):
        import openai

        self.openai = openai
        client = openai.OpenAI(api_key="unused", admin_api_key=token, base_url=address + "/v1", max_retries=0)
        self.accounts = client.admin.organization.projects.service_accounts

    def list(self):
        return {account.id: account.name for account in self.accounts.list("proj", limit=100)}

    def mint(self, name):
        made = self.accounts.create("proj", name=name)
        assert made.name == name
        return made.id, made.api_key.value

    def revoke(self, id):
        try:
            assert self.accounts.delete(id, project_id="proj").deleted
        except self.openai.NotFoundError as error:
            raise Missing from error

    def is_rejected(self):
        try:
            self.list()
        except self.openai.AuthenticationError:
            return True


class Cloudflare:
    POLICIES = [
        {"effect": "allow", "resources": {"com.cloudflare.api.account.a": "*"}, "permission_groups": [{"id": "g"}]}]

    def __init__(self, address, token="good"):
        import cloudflare

        self.cloudflare = cloudflare
        self.tokens = cloudflare.Cloudflare(
            api_token=token, base_url=address + "/client/v4", max_retries=0).user.tokens

    def list(self):
        return {token.id: token.name for token in self.tokens.list()}

    def mint(self, name):
        made = self.tokens.create(name=name, policies=self.POLICIES)
        return made.id, made.value

    def disable(self, id):
        name = self.list()[id]
        assert self.tokens.update(id, name=name, policies=self.POLICIES, status="disabled").status == "disabled"

    def revoke(self, id):
        try:
            assert self.tokens.delete(id).id == id
        except self.cloudflare.NotFoundError as error:
            raise Missing from error

    def is_rejected(self):
        try:
            self.list()
        except self.cloudflare.AuthenticationError:
            return True


class Doppler:
    def __init__(self, address, token="good"):
        self.folder = tempfile.TemporaryDirectory()
        self.program = shutil.which("doppler", path=os.path.dirname(sys.executable))
        self.words = [
            "--project", "p", "--config", "prd", "--api-host", address, "--no-check-version", "--attempts", "1",
            "--config-dir", self.folder.name, "--json"]
        self.variables = {"HOME": self.folder.name, "PATH": os.environ["PATH"], "DOPPLER_TOKEN": token}

    def tokens(self, *words):
        answer = subprocess.run(
            [self.program, "configs", "tokens", *words, *self.words], env=self.variables, stdin=subprocess.DEVNULL,
            capture_output=True, text=True)
        if answer.returncode:
            if "Could not find requested service token" in answer.stdout + answer.stderr:
                raise Missing
            raise RuntimeError(answer.stdout + answer.stderr)
        return json.loads(answer.stdout) if answer.stdout.startswith(("[", "{")) else None

    def list(self):
        return {token["slug"]: token["name"] for token in self.tokens()}

    def mint(self, name):
        made = self.tokens("create", name)
        return made["slug"], made["token"]

    def revoke(self, id):
        self.tokens("revoke", id)

    def is_rejected(self):
        try:
            self.list()
        except RuntimeError as error:
            return "Invalid Auth token" in str(error)


class Google:
    def __init__(self, address, token="good"):
        from google.oauth2.credentials import Credentials
        from googleapiclient import discovery, errors

        self.errors = errors
        self.keys = discovery.build(
            "iam", "v1", credentials=Credentials(token=token), static_discovery=True,
            client_options={"api_endpoint": address + "/"}).projects().serviceAccounts().keys()

    def list(self):
        answer = self.keys.list(name=ACCOUNT, keyTypes="USER_MANAGED").execute()
        mine = [key for key in answer["keys"] if key["keyType"] == "USER_MANAGED"]
        return {key["name"].rpartition("/")[2]: None for key in mine}

    def mint(self, name):
        made = self.keys.create(name=ACCOUNT, body={}).execute()
        return made["name"].rpartition("/")[2], made["privateKeyData"]

    def disable(self, id):
        self.keys.disable(name=f"{ACCOUNT}/keys/{id}", body={}).execute()

    def revoke(self, id):
        try:
            self.keys.delete(name=f"{ACCOUNT}/keys/{id}").execute()
        except self.errors.HttpError as error:
            if error.resp.status == 404:
                raise Missing from error
            raise

    def is_rejected(self):
        try:
            self.list()
        except self.errors.HttpError as error:
            return error.resp.status == 401
        # What a token of a person cannot do, the client tries to renew.
        except Exception as error:
            return type(error).__name__ == "RefreshError"


class Microsoft:
    def __init__(self, address, token="good"):
        self.address, self.token = address, token

    def application(self):
        from kiota_abstractions.authentication import AccessTokenProvider, AllowedHostsValidator
        from kiota_abstractions.authentication import BaseBearerTokenAuthenticationProvider
        from msgraph import GraphRequestAdapter, GraphServiceClient

        class Token(AccessTokenProvider):
            def __init__(self, token):
                self.token = token

            async def get_authorization_token(self, uri, additional_authentication_context={}):
                return self.token

            def get_allowed_hosts_validator(self):
                return AllowedHostsValidator([])

        adapter = GraphRequestAdapter(BaseBearerTokenAuthenticationProvider(Token(self.token)))
        adapter.base_url = self.address + "/v1.0"
        return GraphServiceClient(request_adapter=adapter).applications.by_application_id(APPLICATION)

    def list(self):
        from kiota_abstractions.base_request_configuration import RequestConfiguration
        from msgraph.generated.applications.item.application_item_request_builder import ApplicationItemRequestBuilder

        query = ApplicationItemRequestBuilder.ApplicationItemRequestBuilderGetQueryParameters(
            select=["id", "passwordCredentials"])
        found = asyncio.run(self.application().get(request_configuration=RequestConfiguration(query_parameters=query)))
        assert found.id == APPLICATION
        return {str(one.key_id): one.display_name for one in found.password_credentials if one.display_name}

    def mint(self, name):
        from msgraph.generated.applications.item.add_password.add_password_post_request_body import (
            AddPasswordPostRequestBody)
        from msgraph.generated.models.password_credential import PasswordCredential

        body = AddPasswordPostRequestBody(password_credential=PasswordCredential(display_name=name))
        made = asyncio.run(self.application().add_password.post(body))
        return str(made.key_id), made.secret_text

    def revoke(self, id):
        from msgraph.generated.applications.item.remove_password.remove_password_post_request_body import (
            RemovePasswordPostRequestBody)
        from msgraph.generated.models.o_data_errors.o_data_error import ODataError

        body = RemovePasswordPostRequestBody(key_id=uuid.UUID(id))
        try:
            asyncio.run(self.application().remove_password.post(body))
        except ODataError as error:
            if "No credentials found" in error.error.message:
                raise Missing from error
            raise

    def is_rejected(self):
        from msgraph.generated.models.o_data_errors.o_data_error import ODataError

        try:
            self.list()
        except ODataError as error:
            return error.response_status_code == 401


CLIENTS = {
    "openai": OpenAI, "cloudflare": Cloudflare, "doppler": Doppler, "gcp-service-account": Google,
    "azure-application": Microsoft}


def require(condition, what):
    if not condition:
        sys.exit(what)


def main():
    name, address, task = sys.argv[1:]
    task = json.loads(task)
    client = CLIENTS[name](address)
    present = task["present"]
    require(client.list() == present, f"{name}: listed {client.list()} instead of {present}")
    id, value = client.mint(task["mint"])
    present[id] = task["mint"] if name != "gcp-service-account" else None
    for one in task["disable"]:
        client.disable(one)
    for one in task["revoke"]:
        client.revoke(one)
        del present[one]
        try:
            client.revoke(one)
            sys.exit(f"{name}: {one} was revoked twice")
        except Missing:
            pass
    require(client.list() == present, f"{name}: listed {client.list()} instead of {present}")
    require(CLIENTS[name](address, token="rejected").is_rejected(), f"{name}: a wrong token is not reported")
    print(json.dumps({"id": id, "value": value}), flush=True)


if __name__ == "__main__":
    main()
