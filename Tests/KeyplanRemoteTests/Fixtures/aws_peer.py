"""An independent implementation of AWS's services, moto or MiniStack, with some identities; on this machine only.

Both check signatures and policies. The first line says where it is and who there is, as JSON. It ends at the end of its
standard input.

usage: aws_peer.py moto|ministack PYTHON
"""

import ctypes
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time

kind, python = sys.argv[1:3]
if len(sys.argv) == 3:
    os.execv(python, [python, __file__, kind, python, "started"])

# moto checks from the fourth action on: somebody must be there first.
os.environ["INITIAL_NO_AUTH_ACTION_COUNT"] = "3"
os.environ["AWS_EC2_METADATA_DISABLED"] = "true"

import boto3  # noqa: E402

output = os.dup(1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def moto():
    from moto.secretsmanager.models import SecretsManagerBackend
    from moto.server import ThreadedMotoServer

    # AWS reads the version with the label AWSCURRENT. moto 5.2.5 reads the one that was written last, wherever the label is.
    read = SecretsManagerBackend.get_secret_value

    def read_current(self, secret_id, version_id, version_stage):
        return read(self, secret_id, version_id, version_stage or ("" if version_id else "AWSCURRENT"))

    SecretsManagerBackend.get_secret_value = read_current
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    return "http://127.0.0.1:%d" % server.get_host_and_port()[1]


def ministack():
    program = os.path.join(os.path.dirname(python), "ministack")
    for _ in range(5):
        # Not one of those that the system gives to whoever asks for any port: another server would take it meanwhile.
        port = random.randrange(20000, 30000)
        with socket.socket() as listener:
            if listener.connect_ex(("127.0.0.1", port)) == 0:
                continue
        process = subprocess.Popen(
            [program],
            env=dict(os.environ, BIND_HOST="127.0.0.1", GATEWAY_PORT=str(port), AUTH="true"),
            stdin=subprocess.DEVNULL,
            # It ends with this process, however that ends.
            preexec_fn=lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL),
        )
        while process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return "http://127.0.0.1:%d" % port
            except OSError:
                time.sleep(0.05)
    sys.exit("ministack does not start")


address = {"moto": moto, "ministack": ministack}[kind]()


def client(service, key=None):
    key = key or {"AccessKeyId": "test", "SecretAccessKey": "test"}
    return boto3.client(
        service,
        region_name="eu-central-1",
        endpoint_url=address,
        aws_access_key_id=key["AccessKeyId"],
        aws_secret_access_key=key["SecretAccessKey"],
    )


def document(*statements):
    return json.dumps({"Version": "2012-10-17", "Statement": [dict(one, Effect="Allow") for one in statements]})


def rights(*actions):
    return document({"Action": list(actions), "Resource": "*"})


iam = client("iam")
arn = iam.create_user(UserName="admin")["User"]["Arn"]
iam.put_user_policy(UserName="admin", PolicyName="all", PolicyDocument=rights("*"))
admin = iam.create_access_key(UserName="admin")["AccessKey"]

iam = client("iam", admin)
iam.create_user(UserName="reader")
some = rights("secretsmanager:GetSecretValue", "ssm:GetParameters")
iam.put_user_policy(UserName="reader", PolicyName="some", PolicyDocument=some)
reader = iam.create_access_key(UserName="reader")["AccessKey"]
iam.create_user(UserName="stranger")
stranger = iam.create_access_key(UserName="stranger")["AccessKey"]
account = arn.split(":")[4]


def role(name, action, principal):
    trust = document({"Action": "sts:" + action, "Principal": principal})
    made = iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    iam.put_role_policy(RoleName=name, PolicyName="all", PolicyDocument=rights("*"))
    return made


provider = "arn:aws:iam::%s:oidc-provider/token.example" % account
known = {
    "address": address,
    "account": account,
    "role": role("deploy", "AssumeRole", {"AWS": arn}),
    "webRole": role("web", "AssumeRoleWithWebIdentity", {"Federated": provider}),
}
if kind == "moto":
    known["key"] = client("kms", admin).create_key()["KeyMetadata"]["Arn"]
for name, key in (("admin", admin), ("reader", reader), ("stranger", stranger)):
    known[name] = [key["AccessKeyId"], key["SecretAccessKey"]]
os.write(output, json.dumps(known).encode() + b"\n")
sys.stdin.read()
