"""GitHub's program, with the variables of the environment "a/b prod" of the repository acme/app.

It uses plain HTTP for the host github.localhost only. The fake is its proxy, and the user name for the proxy is the
name of the fake's instance.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

PROGRAM = shutil.which("gh", path=os.path.dirname(sys.executable))


class Refused(Exception):
    pass


def exact(value):
    """The program shows a control character with a caret."""
    return value.replace("^A", "\x01")


class Client:
    shows_values = True

    def __init__(self, address, token="good", repository="app"):
        self.address = address
        self.folder = tempfile.TemporaryDirectory()
        parts = urllib.parse.urlsplit(address)
        instance = parts.path.rpartition("/")[2]
        proxy = f"http://{instance}:x@{parts.netloc}"
        self.place = ["--repo", f"github.localhost/acme/{repository}", "--env", "a/b prod"]
        self.variables = {
            "HOME": self.folder.name, "PATH": os.environ["PATH"], "GH_CONFIG_DIR": self.folder.name, "GH_TOKEN": token,
            "HTTP_PROXY": proxy, "http_proxy": proxy, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1"}

    def gh(self, *words):
        answer = subprocess.run(
            [PROGRAM, "variable", *words, *self.place], env=self.variables, stdin=subprocess.DEVNULL,
            capture_output=True, text=True)
        if answer.returncode:
            raise Refused(answer.stderr)
        return answer.stdout

    def list(self):
        entries = json.loads(self.gh("list", "--json", "name,value,updatedAt"))
        return {entry["name"]: exact(entry["value"]) for entry in entries}

    def read(self, name):
        try:
            return exact(json.loads(self.gh("get", name, "--json", "value"))["value"])
        except Refused as error:
            if f"variable {name} was not found" in str(error):
                raise KeyError(name) from error
            raise

    def set(self, name, value, exists):
        self.gh("set", name, f"--body={value}")

    def remove(self, name):
        self.gh("delete", name)

    def fails(self):
        for what, client, words in [
            ("a wrong token", Client(self.address, token="bad"), "HTTP 401"),
            ("an unknown repository", Client(self.address, repository="nope"), "HTTP 404"),
        ]:
            try:
                client.list()
                yield what, False
            except Refused as error:
                yield what, words in str(error)
        try:
            self.remove("KP_ABSENT")
            yield "removing what is not there", False
        except Refused as error:
            yield "removing what is not there", "HTTP 404" in str(error)
