"""What Google's and Azure's own clients find with some variables and files: the token and the quota project of each case,
or null.

usage: chains.py ROOT CASES    the fake's address; a JSON list of objects with chain, variables and files. In both, FOLDER
stands for the folder of the case's files, and ROOT for the fake.
"""

import json
import os
import subprocess
import sys
import tempfile

HOSTS = ("https://oauth2.googleapis.com", "https://iamcredentials.googleapis.com")
SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def google(root):
    import google.auth
    import google.auth.transport.requests
    import requests

    class Loopback(requests.adapters.HTTPAdapter):
        """Sends what is for Google's https hosts to the fake."""

        def send(self, request, **options):
            for host in HOSTS:
                if request.url.startswith(host):
                    request.url = root + request.url.removeprefix(host)
            return super().send(request, **options)

    session = requests.Session()
    for host in HOSTS:
        session.mount(host, Loopback())
    credentials, _ = google.auth.default(scopes=[SCOPE])
    credentials.refresh(google.auth.transport.requests.Request(session))
    return [credentials.token, getattr(credentials, "quota_project_id", None)]


def azure(root):
    from azure.core.pipeline.transport import RequestsTransport
    from azure.identity import DefaultAzureCredential

    class Loopback(RequestsTransport):
        """Sends what is for Microsoft's https host to the fake."""

        def send(self, request, **options):
            url, login = request.url, "https://login.microsoftonline.com"
            if url.startswith(login):
                request.url = root + url.removeprefix(login)
            try:
                return super().send(request, **options)
            finally:
                request.url = url

    only = {f"exclude_{name}_credential": True for name in
            ("cli", "powershell", "developer_cli", "shared_token_cache", "visual_studio_code", "interactive_browser",
             "broker")}
    credential = DefaultAzureCredential(
        transport=Loopback(), disable_instance_discovery=True, retry_total=0, **only)
    return [credential.get_token("https://vault.azure.net/.default").token, None]


def main():
    root, cases = sys.argv[1], json.loads(sys.argv[2])
    found = []
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            def filled(text):
                return text.replace("ROOT", root).replace("FOLDER", folder).replace("HOST", root.removeprefix("http://"))

            for name, content in case["files"].items():
                path = os.path.join(folder, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w") as file:
                    file.write(filled(content))
            variables = {name: filled(value) for name, value in case["variables"].items()}
            # The clients read some variables when they are imported.
            answer = subprocess.run(
                [sys.executable, __file__, "--one", case["chain"], root], capture_output=True, text=True,
                env={"PATH": os.environ["PATH"], "HOME": folder, **variables})
            if answer.returncode and "--verbose" in sys.argv:
                print(answer.stderr, file=sys.stderr)
            found.append(json.loads(answer.stdout) if answer.returncode == 0 else None)
    print(json.dumps(found))


if sys.argv[1] == "--one":
    print(json.dumps(google(sys.argv[3]) if sys.argv[2] == "google" else azure(sys.argv[3])))
else:
    main()
