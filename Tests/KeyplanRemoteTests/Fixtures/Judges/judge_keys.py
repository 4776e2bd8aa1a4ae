"""Judges the fake of a provider that makes keys with the vendor's own client: it lists what keyplan made, makes a key that
keyplan finds and revokes, and revokes one of keyplan's.

Usage: judge_keys.py CLIENT ADDRESS TASK. The task, as JSON:

    present   the ids of all keys, with their names (null where keys have none)
    mint      the name of the key that the client makes; missing where people make the keys
    revoke    the ids that the client revokes
    disable   the ids that the client disables

The output is one line of JSON with the id and the value of the key that was made. Differences are written to standard error,
and the exit code is 1.

Most clients take what they do not know without a word. Here an answer must have the members that the client's own models
demand, no others than they know, and each with its type: `strictly`, and what the classes do in its place.
"""
import ast
import asyncio
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse
import uuid

ACCOUNT = "projects/proj/serviceAccounts/ci@proj.iam.gserviceaccount.com"
APPLICATION = "00000000-0000-0000-0000-00000000000a"


class Missing(Exception):
    """The provider says that there is no such key."""


def require(condition, what):
    if not condition:
        sys.exit(what)


def strictly(model, value):
    """Validates a part of an answer with a Pydantic model of the client: unknown members and other types are errors."""
    import pydantic

    pydantic.TypeAdapter(model).validate_json(json.dumps(value), strict=True, extra="forbid")


class Answers(list):
    """The bodies of the answers of a client that is built on httpx, as JSON, without those of errors."""

    def hooks(self):
        return {"response": [self.take]}

    def take(self, response):
        response.read()
        if response.status_code < 400:
            self.append(json.loads(response.content or "null"))

    def drain(self):
        taken = self[:]
        self.clear()
        return taken


class OpenAI:
    def __init__(self, address, token="good"):
        import openai

        self.openai, self.answers = openai, Answers()
        client = openai.OpenAI(
            api_key="unused", admin_api_key=token, base_url=address + "/v1", max_retries=0,
            http_client=openai.DefaultHttpxClient(event_hooks=self.answers.hooks()))
        self.accounts = client.admin.organization.projects.service_accounts

    def list(self):
        from openai.types.admin.organization.projects import ProjectServiceAccount

        found = {account.id: account.name for account in self.accounts.list("proj", limit=100)}
        for page in self.answers.drain():
            # The client knows no more of a page than this.
            require(set(page) == {"object", "data", "has_more", "first_id", "last_id"} and page["object"] == "list", page)
            require(isinstance(page["has_more"], bool), page)
            for entry in page["data"]:
                strictly(ProjectServiceAccount, entry)
        return found

    def mint(self, name):
        from openai.types.admin.organization.projects import ServiceAccountCreateResponse

        made = self.accounts.create("proj", name=name)
        strictly(ServiceAccountCreateResponse, self.answers.drain()[-1])
        assert made.name == name
        return made.id, made.api_key.value

    def revoke(self, id):
        from openai.types.admin.organization.projects import ServiceAccountDeleteResponse
        from openai.types.shared import ErrorObject

        try:
            assert self.accounts.delete(id, project_id="proj").deleted
            strictly(ServiceAccountDeleteResponse, self.answers.drain()[-1])
        except self.openai.NotFoundError as error:
            strictly(ErrorObject, error.body)
            raise Missing from error

    def is_rejected(self):
        try:
            self.list()
        except self.openai.AuthenticationError:
            return True


class Anthropic:
    """Its keys are made by people."""

    def __init__(self, address, token="good"):
        import anthropic

        self.anthropic, self.answers = anthropic, Answers()
        client = anthropic.Anthropic(
            api_key=token, base_url=address, max_retries=0,
            http_client=anthropic.DefaultHttpxClient(event_hooks=self.answers.hooks()))
        self.keys = client.beta.organization.api_keys

    def list(self):
        from anthropic.pagination import SyncPage
        from anthropic.types.beta.organization import BetaAPIKey

        found = {key.id: key.name for key in self.keys.list(limit=100) if key.status != "archived"}
        for page in self.answers.drain():
            strictly(SyncPage[BetaAPIKey], page)
        return found

    def update(self, id, status):
        from anthropic.types.beta.organization import BetaAPIKey
        from anthropic.types.shared import ErrorResponse

        try:
            changed = self.keys.update(id, status=status)
        except self.anthropic.NotFoundError as error:
            strictly(ErrorResponse, error.body)
            raise Missing from error
        strictly(BetaAPIKey, self.answers.drain()[-1])
        assert (changed.id, changed.status) == (id, status)

    def disable(self, id):
        self.update(id, "inactive")

    def revoke(self, id):
        self.update(id, "archived")

    def is_rejected(self):
        from anthropic.types.shared import ErrorResponse

        try:
            self.list()
        except self.anthropic.AuthenticationError as error:
            strictly(ErrorResponse, error.body)
            return error.body["error"]["type"] == "authentication_error"


class Cloudflare:
    POLICIES = [
        {"effect": "allow", "resources": {"com.cloudflare.api.account.a": "*"}, "permission_groups": [{"id": "g"}]}]
    # The account that owns the tokens.
    OWNER = {}

    def __init__(self, address, token="good"):
        import cloudflare

        self.cloudflare, self.answers = cloudflare, Answers()
        client = cloudflare.Cloudflare(
            api_token=token, base_url=address + "/client/v4", max_retries=0,
            http_client=cloudflare.DefaultHttpxClient(event_hooks=self.answers.hooks()))
        self.tokens = client.accounts.tokens if self.OWNER else client.user.tokens

    def types(self):
        from cloudflare.types import accounts, user

        return accounts if self.OWNER else user

    def results(self):
        """The client sees no more of an answer than its result."""
        taken = self.answers.drain()
        assert all(answer["success"] is True for answer in taken)
        return [answer["result"] for answer in taken]

    def list(self):
        from cloudflare.types.shared import Token

        found = {token.id: token.name for token in self.tokens.list(per_page=50, include_expired=True, **self.OWNER)}
        for page in self.results():
            for entry in page:
                strictly(Token, entry)
        return found

    def mint(self, name):
        made = self.tokens.create(name=name, policies=self.POLICIES, **self.OWNER)
        strictly(self.types().TokenCreateResponse, self.results()[-1])
        return made.id, made.value

    def disable(self, id):
        from cloudflare.types.shared import Token

        name = self.list()[id]
        changed = self.tokens.update(id, name=name, policies=self.POLICIES, status="disabled", **self.OWNER)
        strictly(Token, self.results()[-1])
        assert changed.status == "disabled"

    def revoke(self, id):
        try:
            assert self.tokens.delete(id, **self.OWNER).id == id
            strictly(self.types().TokenDeleteResponse, self.results()[-1])
        except self.cloudflare.NotFoundError as error:
            raise Missing from error

    def is_rejected(self):
        try:
            self.list()
        except self.cloudflare.AuthenticationError:
            return True


class CloudflareAccount(Cloudflare):
    OWNER = {"account_id": "acc"}


class OpenRouter:
    def __init__(self, address, token="good"):
        import httpx
        import openrouter

        self.answers = Answers()
        self.keys = openrouter.OpenRouter(
            api_key=token, server_url=address + "/api/v1", client=httpx.Client(event_hooks=self.answers.hooks()),
            retry_config=None).api_keys

    def list(self):
        from openrouter.operations import ListResponse

        found = {}
        while True:
            page = self.keys.list(include_disabled=True, include_expired=True, offset=len(found)).data
            strictly(ListResponse, self.answers.drain()[-1])
            if not page:
                return found
            found.update({key.hash: key.name for key in page})

    def mint(self, name):
        from openrouter.operations import CreateKeysResponse

        expires = datetime.datetime(2027, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
        made = self.keys.create(name=name, limit=5, expires_at=expires)
        strictly(CreateKeysResponse, self.answers.drain()[-1])
        assert (made.data.name, made.data.expires_at) == (name, expires)
        return made.data.hash, made.key

    def disable(self, id):
        from openrouter.operations import UpdateKeysResponse

        assert self.keys.update(hash=id, disabled=True).data.disabled
        strictly(UpdateKeysResponse, self.answers.drain()[-1])

    def revoke(self, id):
        from openrouter.errors import NotFoundResponseError, NotFoundResponseErrorData
        from openrouter.operations import DeleteKeysResponse

        try:
            self.keys.delete(hash=id)
            strictly(DeleteKeysResponse, self.answers.drain()[-1])
        except NotFoundResponseError as error:
            strictly(NotFoundResponseErrorData, json.loads(error.body))
            raise Missing from error

    def is_rejected(self):
        from openrouter.errors import UnauthorizedResponseError, UnauthorizedResponseErrorData

        try:
            self.list()
        except UnauthorizedResponseError as error:
            strictly(UnauthorizedResponseErrorData, json.loads(error.body))
            return True


class Datadog:
    def __init__(self, address, token="good"):
        from datadog_api_client import ApiClient, Configuration
        from datadog_api_client.v2.api.key_management_api import KeyManagementApi

        configuration = Configuration(host=address, api_key={"apiKeyAuth": token, "appKeyAuth": token})
        self.keys = KeyManagementApi(ApiClient(configuration))

    def known(self, value):
        """What it cannot parse, or does not know, the client keeps."""
        from datadog_api_client.model_utils import OpenApiModel

        require(not getattr(value, "_unparsed", False), f"not parsed: {value}")
        for one in value if isinstance(value, list) else []:
            self.known(one)
        if isinstance(value, OpenApiModel) and hasattr(value, "_data_store"):
            types = value.openapi_types
            for name, one in value._data_store.items():
                require(name == "value" or name in types, f"not known: {name} of {type(value).__name__}")
                self.known(one)
        return value

    def complete(self, key):
        """The client calls every member optional."""
        attributes = key.attributes
        assert str(key.type) == "api_keys" and attributes.created_at and attributes.modified_at and len(attributes.last4) == 4
        return attributes

    def failure(self, error):
        require(set(error.body) == {"errors"} and {type(one) for one in error.body["errors"]} == {str}, error.body)
        return error.status

    def list(self):
        found, number = {}, 0
        while True:
            page = self.known(self.keys.list_api_keys(page_size=100, page_number=number))
            if not page.data:
                assert page.meta.page.total_filtered_count == len(found)
                return found
            found.update({key.id: key.attributes.name for key in page.data})
            for key in page.data:
                self.complete(key)
            number += 1

    def mint(self, name):
        from datadog_api_client.v2.model.api_key_create_attributes import APIKeyCreateAttributes
        from datadog_api_client.v2.model.api_key_create_data import APIKeyCreateData
        from datadog_api_client.v2.model.api_key_create_request import APIKeyCreateRequest
        from datadog_api_client.v2.model.api_keys_type import APIKeysType

        data = APIKeyCreateData(attributes=APIKeyCreateAttributes(name=name), type=APIKeysType.API_KEYS)
        made = self.known(self.keys.create_api_key(body=APIKeyCreateRequest(data=data))).data
        attributes = self.complete(made)
        assert attributes.name == name
        return made.id, attributes.key

    def revoke(self, id):
        from datadog_api_client.exceptions import NotFoundException

        try:
            assert self.keys.delete_api_key(id) is None
        except NotFoundException as error:
            self.failure(error)
            raise Missing from error

    def is_rejected(self):
        from datadog_api_client.exceptions import ApiException

        try:
            self.list()
        except ApiException as error:
            return self.failure(error) == 401


class DigitalOcean:
    """Its answers are not typed: the members and types are those that the client's documentation has."""

    def __init__(self, address, token="good"):
        import pydo

        self.keys = pydo.Client(token=token, endpoint=address).spaces_key

    def documented(self, method, status):
        """The answer of a method with this status, as its documentation writes it: a literal, with comments of several lines."""
        text = re.split(r"# response body for status code\(s\): ", method.__doc__)
        text = next(part for part in text if part.startswith(f"{status}\n")).split("response == ")[1]
        lines = [re.sub(r"  # .*", "", line.strip()) for line in text.splitlines()]
        return ast.literal_eval("\n".join(line for line in lines if re.match(r'"\w+":|[\[\]{}]', line)))

    def like(self, wanted, found, place=""):
        require(type(wanted) is type(found), f"{place}: {found!r} is no {type(wanted).__name__}")
        if isinstance(wanted, list):
            for one in found:
                self.like(wanted[0], one, place)
        # The links of a page are of several kinds, which the documentation does not write out.
        elif isinstance(wanted, dict) and wanted:
            require(set(found) == set(wanted) - {"request_id"}, f"{place}: {set(found)} instead of {set(wanted)}")
            for name, one in found.items():
                self.like(wanted[name], one, f"{place}/{name}")

    def list(self):
        found, number = {}, 1
        while True:
            page = self.keys.list(per_page=200, page=number, enforce_https=False)
            self.like(self.documented(self.keys.list, 200), page)
            found.update({key["access_key"]: key["name"] for key in page["keys"]})
            for key in page["keys"]:
                datetime.datetime.fromisoformat(key["created_at"].replace("Z", "+00:00"))
            if not page["links"].get("pages", {}).get("next"):
                assert page["meta"]["total"] == len(found)
                return found
            number += 1

    def mint(self, name):
        body = {"name": name, "grants": [{"bucket": "b", "permission": "read"}]}
        made = self.keys.create(body, enforce_https=False)
        self.like(self.documented(self.keys.create, 201), made)
        return made["key"]["access_key"], made["key"]["secret_key"]

    def revoke(self, id):
        answer = self.keys.delete(id, enforce_https=False)
        if answer is not None:
            self.like(self.documented(self.keys.delete, 404), answer)
            assert answer["id"] == "not_found"
            raise Missing

    def is_rejected(self):
        from azure.core.exceptions import ClientAuthenticationError

        try:
            self.list()
        except ClientAuthenticationError as error:
            answer = json.loads(error.response.text())
            self.like(self.documented(self.keys.delete, 404), answer)
            return answer["id"] == "unauthorized"


class Twilio:
    def __init__(self, address, token="good"):
        from twilio.http.http_client import TwilioHttpClient
        from twilio.rest import Client

        prefix = urllib.parse.urlsplit(address).path
        self.answers = answers = []

        class Recorded(TwilioHttpClient):
            def request(self, method, url, *rest, **named):
                # The next page is an address of the host.
                answer = super().request(method, url.replace(prefix + prefix, prefix), *rest, **named)
                answers.append(json.loads(answer.text or "null"))
                return answer

        self.client = Client("SKmain", token, "AC1", http_client=Recorded())
        self.client.api.base_url = address

    def known(self, entry, instance):
        """The members of an answer are those that the client reads, and no member is without a value."""
        read = {name: value for name, value in vars(instance).items() if not name.startswith("_")}
        require(set(entry) == set(read), f"{entry} instead of {read}")
        for name, value in read.items():
            wanted = datetime.datetime if name.startswith("date_") else str
            require(isinstance(value, wanted), f"{name}: {value!r} is no {wanted.__name__}")
        require(re.fullmatch("SK[0-9a-fA-F]{32}", instance.sid), instance.sid)

    # The members of a page, and of an error, with the types that Twilio's specification has.
    PAGE = {"page": int, "page_size": int, "start": int, "end": int, "uri": str, "first_page_uri": str,
            "next_page_uri": (str, type(None)), "previous_page_uri": (str, type(None)), "keys": list}
    ERROR = {"code": int, "message": str, "more_info": str, "status": int}

    def typed(self, types, answer):
        require(set(answer) == set(types), f"{answer} has other members than {set(types)}")
        for name, value in answer.items():
            require(isinstance(value, types[name]), f"{name}: {value!r}")

    def list(self):
        self.answers.clear()
        found = self.client.keys.list(page_size=100)
        entries = []
        for page in self.answers:
            self.typed(self.PAGE, page)
            entries += page["keys"]
        assert len(entries) == len(found)
        for entry, instance in zip(entries, found):
            self.known(entry, instance)
        return {key.sid: key.friendly_name for key in found}

    def mint(self, name):
        made = self.client.new_keys.create(friendly_name=name)
        self.known(self.answers[-1], made)
        return made.sid, made.secret

    def revoke(self, id):
        from twilio.base.exceptions import TwilioRestException

        try:
            assert self.client.keys(id).delete()
        except TwilioRestException as error:
            self.typed(self.ERROR, self.answers[-1])
            if (error.status, error.code) == (404, 20404):
                raise Missing from error
            raise

    def is_rejected(self):
        from twilio.base.exceptions import TwilioException

        try:
            self.list()
        except TwilioException as error:
            self.typed(self.ERROR, self.answers[-1])
            return error.args[1].status_code == 401


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

    def known(self, schema, value):
        """Compares an answer with a schema of the discovery document that the client was made from."""
        from googleapiclient import discovery_cache

        document = json.loads(discovery_cache.get_static_doc("iam", "v1"))
        properties = document["schemas"][schema]["properties"]
        types = {"string": str, "boolean": bool, "integer": int, "array": list, "object": dict}
        for name, one in value.items():
            require(name in properties, f"{schema} has no {name}")
            wanted = properties[name]
            require("$ref" in wanted or isinstance(one, types[wanted["type"]]), f"{name} of {schema}: {one!r}")
            require(one in wanted.get("enum", [one]), f"{name} of {schema}: {one!r}")
            for item in one if isinstance(one, list) and "$ref" in wanted["items"] else []:
                self.known(wanted["items"]["$ref"], item)
        return value

    def list(self):
        answer = self.known("ListServiceAccountKeysResponse", self.keys.list(name=ACCOUNT, keyTypes="USER_MANAGED").execute())
        mine = [key for key in answer["keys"] if key["keyType"] == "USER_MANAGED"]
        return {key["name"].rpartition("/")[2]: None for key in mine}

    def mint(self, name):
        made = self.known("ServiceAccountKey", self.keys.create(name=ACCOUNT, body={}).execute())
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

    def known(self, password):
        """What it does not know, the client keeps."""
        require(not password.additional_data, f"not known: {password.additional_data}")
        require(isinstance(password.key_id, uuid.UUID), password.key_id)
        for time in (password.start_date_time, password.end_date_time):
            require(isinstance(time, datetime.datetime), time)
        return password

    def list(self):
        from kiota_abstractions.base_request_configuration import RequestConfiguration
        from msgraph.generated.applications.item.application_item_request_builder import ApplicationItemRequestBuilder

        query = ApplicationItemRequestBuilder.ApplicationItemRequestBuilderGetQueryParameters(
            select=["id", "passwordCredentials"])
        found = asyncio.run(self.application().get(request_configuration=RequestConfiguration(query_parameters=query)))
        assert found.id == APPLICATION
        return {str(self.known(one).key_id): one.display_name for one in found.password_credentials if one.display_name}

    def mint(self, name):
        from msgraph.generated.applications.item.add_password.add_password_post_request_body import (
            AddPasswordPostRequestBody)
        from msgraph.generated.models.password_credential import PasswordCredential

        body = AddPasswordPostRequestBody(password_credential=PasswordCredential(display_name=name))
        made = self.known(asyncio.run(self.application().add_password.post(body)))
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
    "anthropic": Anthropic, "azure-application": Microsoft, "cloudflare": Cloudflare,
    "cloudflare-account": CloudflareAccount, "datadog": Datadog, "digitalocean-spaces": DigitalOcean,
    "doppler": Doppler, "gcp-service-account": Google, "openai": OpenAI, "openrouter": OpenRouter, "twilio": Twilio}


def main():
    name, address, task = sys.argv[1:]
    task = json.loads(task)
    client = CLIENTS[name](address)
    present = task["present"]
    require(client.list() == present, f"{name}: listed {client.list()} instead of {present}")
    id, value = client.mint(task["mint"]) if task.get("mint") else (None, None)
    if id:
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
