"""Doppler's program, with the config "dev" of the project "p". Its own variables are not secrets of the config."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = shutil.which("doppler", path=os.path.dirname(sys.executable))


class Refused(Exception):
    pass


class Client:
    shows_values = True

    def __init__(self, address, token="good", config="dev"):
        self.address = address
        self.folder = tempfile.TemporaryDirectory()
        self.words = ["--api-host", address, "--no-check-version", "--configuration", self.folder.name + "/c.yaml"]
        self.place = ["--project", "p", "--config", config]
        self.variables = {"HOME": self.folder.name, "PATH": os.environ["PATH"], "DOPPLER_TOKEN": token}

    def doppler(self, *words):
        answer = subprocess.run(
            [PROGRAM, *words, *self.place, *self.words], env=self.variables, stdin=subprocess.DEVNULL,
            capture_output=True, text=True)
        if answer.returncode:
            raise Refused(answer.stderr)
        return answer.stdout

    def list(self):
        """As a table of secrets, and as the file that programs are given."""
        entries = json.loads(self.doppler("secrets", "--json"))
        values = {name: entry["computed"] for name, entry in entries.items()}
        assert values == json.loads(self.doppler("secrets", "download", "--no-file", "--format", "json"))
        return {name: value for name, value in values.items() if not name.startswith("DOPPLER_")}

    def read(self, name):
        try:
            return json.loads(self.doppler("secrets", "get", name, "--json"))[name]["computed"]
        except Refused as error:
            if "Could not find requested secret" in str(error):
                raise KeyError(name) from error
            raise

    def set(self, name, value, exists):
        self.doppler("secrets", "set", f"{name}={value}", "--silent")

    def remove(self, name):
        self.doppler("secrets", "delete", name, "--yes", "--silent")

    def fails(self):
        for what, client, words in [
            ("a wrong token", Client(self.address, token="bad"), "Invalid Auth token"),
            ("an unknown config", Client(self.address, config="nope"), "Could not find requested config"),
        ]:
            try:
                client.list()
                yield what, False
            except Refused as error:
                yield what, words in str(error)
