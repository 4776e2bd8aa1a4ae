"""Microsoft's client, with the secrets of the key vault "kp".

It sends a token by https only, and only to the host that the service names in its challenge. So it is given the real
host's address, and its transport sends the requests to the fake.
"""
from azure.core.credentials import AccessToken
from azure.core.exceptions import HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.core.pipeline.transport import RequestsTransport
from azure.keyvault.secrets import SecretClient

VAULT = "https://kp.vault.azure.net"


class Loopback(RequestsTransport):
    def __init__(self, address):
        super().__init__()
        self.address = address

    def send(self, request, **options):
        assert request.url.startswith(VAULT + "/"), request.url
        url = request.url
        request.url = self.address + url.removeprefix(VAULT)
        try:
            return super().send(request, **options)
        finally:
            request.url = url


class Credential:
    def __init__(self, token):
        self.token, self.tenants = token, []

    def get_token(self, *scopes, tenant_id=None, **options):
        assert scopes == ("https://vault.azure.net/.default",), scopes
        self.tenants.append(tenant_id)
        return AccessToken(self.token, 1 << 40)


class Client:
    shows_values = True

    def __init__(self, address, token="good"):
        self.address, self.credential = address, Credential(token)
        self.client = SecretClient(VAULT, self.credential, transport=Loopback(address), retry_total=0)

    def list(self):
        secrets = self.client.list_properties_of_secrets()
        return {secret.name: self.read(secret.name) for secret in secrets if secret.enabled}

    def read(self, name):
        try:
            return self.client.get_secret(name).value
        except ResourceNotFoundError as error:
            raise KeyError(name) from error

    def set(self, name, value, exists):
        secret = self.client.set_secret(name, value)
        assert (secret.name, secret.value) == (name, value)
        assert self.client.get_secret(name, secret.properties.version).value == value

    def remove(self, name):
        deleted = self.client.begin_delete_secret(name, _polling_interval=0).result()
        assert deleted.name == name and deleted.recovery_id

    def hide(self, name):
        self.client.update_secret_properties(name, enabled=False)
        try:
            self.client.get_secret(name)
            raise AssertionError("a disabled secret is shown")
        except HttpResponseError as error:
            assert error.status_code == 403 and error.error.innererror["code"] == "SecretDisabled"

    def fails(self):
        yield "the tenant of the challenge", self.credential.tenants[:1] == ["t"]
        try:
            Client(self.address, token="bad").list()
            yield "a wrong token", False
        except HttpResponseError as error:
            yield "a wrong token", error.status_code == 401
        self.set("DELETED", "v", False)
        self.remove("DELETED")
        try:
            self.set("DELETED", "v", False)
            yield "a name of a deleted secret", False
        except ResourceExistsError as error:
            yield "a name of a deleted secret", error.error.innererror["code"] == "ObjectIsDeletedButRecoverable"
        self.client.purge_deleted_secret("DELETED")
