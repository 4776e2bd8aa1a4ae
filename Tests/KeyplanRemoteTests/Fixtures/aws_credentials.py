"""What botocore finds with some files and variables: the access key ID and the region of each case, or null.

usage: aws_credentials.py CASES    a JSON list of objects with config, credentials, variables, profile
"""

import json
import os
import sys
import tempfile

import botocore.exceptions
import botocore.session

for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]
own = dict(os.environ)
found = []
for case in json.loads(sys.argv[1]):
    with tempfile.TemporaryDirectory() as folder:
        os.environ.clear()
        os.environ.update(own, AWS_EC2_METADATA_DISABLED="true", **case["variables"])
        for name, variable in (("config", "AWS_CONFIG_FILE"), ("credentials", "AWS_SHARED_CREDENTIALS_FILE")):
            os.environ[variable] = os.path.join(folder, name)
            with open(os.environ[variable], "w") as file:
                file.write(case[name])
        try:
            session = botocore.session.Session(profile=case.get("profile"))
            credentials = session.get_credentials()
            region = session.get_config_variable("region")
            found.append([credentials.access_key, region or ""] if credentials else None)
        except botocore.exceptions.BotoCoreError:
            found.append(None)
print(json.dumps(found))
