"""Infisical's client, with the secrets of the folder "/x y" of the environment "dev" of the project "p"."""
from infisical_sdk import InfisicalSDKClient
from infisical_sdk.infisical_requests import APIError


def is_raised(call, status):
    try:
        call()
    except APIError as error:
        return error.status_code == status
    return False


class Client:
    shows_values = True

    def __init__(self, address, secret="cs", project="p"):
        self.address = address
        self.place = {"environment_slug": "dev", "secret_path": "/x y", "project_id": project}
        client = InfisicalSDKClient(host=address, cache_ttl=None)
        client.auth.universal_auth.login("c", secret)
        self.secrets = client.secrets

    def list(self):
        return {entry.secretKey: entry.secretValue for entry in self.secrets.list_secrets(**self.place).secrets}

    def read(self, name):
        try:
            return self.secrets.get_secret_by_name(name, **self.place).secretValue
        except APIError as error:
            if error.status_code == 404:
                raise KeyError(name) from error
            raise

    def set(self, name, value, exists):
        write = self.secrets.update_secret_by_name if exists else self.secrets.create_secret_by_name
        assert write(name, secret_value=value, **self.place).secretKey == name

    def remove(self, name):
        self.secrets.delete_secret_by_name(name, **self.place)

    def fails(self):
        yield "a wrong client secret", is_raised(lambda: Client(self.address, secret="bad"), 401)
        yield "an unknown project", is_raised(Client(self.address, project="nope").list, 404)
        shared = {**self.place, "secret_path": "/shared"}
        self.secrets.create_secret_by_name("SHARED", secret_value="s", **shared)
        imports = self.secrets.list_secrets(**self.place).imports
        found = [(entry.secretPath, [secret["secretKey"] for secret in entry.secrets]) for entry in imports]
        yield "imports", found == [("/shared", ["SHARED"]), ("/more", [])]
        self.secrets.delete_secret_by_name("SHARED", **shared)
        hidden = self.secrets.list_secrets(view_secret_value=False, **self.place).secrets
        yield "a hidden value", all(entry.secretValueHidden for entry in hidden)
        taken = hidden[0].secretKey
        create = self.secrets.create_secret_by_name
        yield "a name that is taken", is_raised(lambda: create(taken, secret_value="v", **self.place), 400)
