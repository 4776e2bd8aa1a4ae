"""Google's client, with the secrets of the project "p". Values are text here."""
from google.api_core import exceptions
from google.auth.exceptions import RefreshError
from google.cloud import secretmanager_v1 as secretmanager
from google.cloud.secretmanager_v1.services.secret_manager_service.transports import SecretManagerServiceRestTransport
from google.oauth2.credentials import Credentials


def is_raised(call, kind):
    try:
        call()
    except kind:
        return True
    return False


class Client:
    shows_values = True

    def __init__(self, address, token="good", project="p"):
        self.address, self.parent = address, f"projects/{project}"
        self.client = secretmanager.SecretManagerServiceClient(transport=SecretManagerServiceRestTransport(
            host=address.removeprefix("http://"), url_scheme="http", credentials=Credentials(token=token)))

    def path(self, name):
        return f"{self.parent}/secrets/{name}"

    def list(self):
        names = [secret.name.rpartition("/")[2] for secret in self.client.list_secrets(parent=self.parent, retry=None)]
        found = {}
        for name in names:
            try:
                found[name] = self.read(name)
            except exceptions.BadRequest as error:
                assert "DISABLED" in str(error)
        return found

    def access(self, name, version="latest"):
        return self.client.access_secret_version(name=f"{self.path(name)}/versions/{version}", retry=None)

    def read(self, name):
        try:
            answer = self.access(name)
        except exceptions.NotFound as error:
            raise KeyError(name) from error
        checksum = 0xFFFFFFFF
        for byte in answer.payload.data:
            checksum ^= byte
            for _ in range(8):
                checksum = checksum >> 1 ^ (0x82F63B78 if checksum & 1 else 0)
        assert answer.payload.data_crc32c == checksum ^ 0xFFFFFFFF
        return answer.payload.data.decode()

    def set(self, name, value, exists):
        if not exists:
            secret = {"replication": {"automatic": {}}}
            self.client.create_secret(parent=self.parent, secret_id=name, secret=secret)
        version = self.client.add_secret_version(parent=self.path(name), payload={"data": value.encode()})
        assert version.state == secretmanager.SecretVersion.State.ENABLED

    def remove(self, name):
        self.client.delete_secret(name=self.path(name))

    def hide(self, name):
        version = self.access(name).name
        number = version.rpartition("/")[2]
        self.client.disable_secret_version(name=f"{self.path(name)}/versions/{number}")
        assert is_raised(lambda: self.access(name), exceptions.BadRequest)

    def fails(self):
        # The client renews the token when it is rejected, which this one cannot be.
        yield "a wrong token", is_raised(Client(self.address, token="bad").list, RefreshError)
        other = Client(self.address, project="nope")
        yield "an unknown project", is_raised(other.list, exceptions.Forbidden)
        yield "an unknown project's secret", is_raised(lambda: other.access("A"), exceptions.Forbidden)
        self.set("TWICE", "v", False)
        yield "a name that is taken", is_raised(lambda: self.set("TWICE", "v", False), exceptions.Conflict)
        wrong = {"data": b"v", "data_crc32c": 1}
        add = self.client.add_secret_version
        yield "a wrong checksum", is_raised(
            lambda: add(parent=self.path("TWICE"), payload=wrong), exceptions.BadRequest)
        self.remove("TWICE")
