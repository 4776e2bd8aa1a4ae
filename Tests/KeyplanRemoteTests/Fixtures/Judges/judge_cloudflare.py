"""Cloudflare's client, with the secrets of the Worker "s" of the account "a"."""
import cloudflare


class Client:
    shows_values = False

    def __init__(self, address, token="good", script="s"):
        self.address = address
        self.place = {"script_name": script, "account_id": "a"}
        self.secrets = cloudflare.Cloudflare(
            api_token=token, base_url=address + "/client/v4", max_retries=0).workers.scripts.secrets

    def list(self):
        return {entry.name: None for entry in self.secrets.list(**self.place)}

    def read(self, name):
        try:
            assert self.secrets.get(name, **self.place).name == name
        except cloudflare.NotFoundError as error:
            raise KeyError(name) from error

    def set(self, name, value, exists):
        text = {"name": name, "text": value, "type": "secret_text"}
        if exists:
            answer = self.secrets.bulk_update(secrets={name: text}, **self.place)
            assert answer[name].name == name
        else:
            assert self.secrets.update(**text, **self.place).name == name

    def remove(self, name):
        self.secrets.delete(name, **self.place)

    def fails(self):
        try:
            Client(self.address, token="bad").list()
            yield "a wrong token", False
        except cloudflare.AuthenticationError:
            yield "a wrong token", True
        try:
            Client(self.address, script="nope").list()
            yield "an unknown Worker", False
        except cloudflare.NotFoundError as error:
            yield "an unknown Worker", [entry.code for entry in error.errors] == [10007]
