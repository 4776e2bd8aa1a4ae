"""A PostgreSQL server in a scratch directory, for measuring stores that are shared."""

import contextlib
import glob
import os
import pwd
import shutil
import subprocess
import tempfile
import urllib.parse


def tools():
    """Where `initdb` is; None where there is no server."""
    folders = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]), reverse=True)
    found = [folder for folder in folders if os.access(os.path.join(folder, "initdb"), os.X_OK)]
    beside = shutil.which("initdb")
    return found[0] if found else beside and os.path.dirname(beside)


@contextlib.contextmanager
def running():
    """The address of an empty database on a socket; commits are durable, as they would be elsewhere."""
    programs = tools()
    # The server refuses to run as root.
    user = {}
    folder = tempfile.mkdtemp(prefix="keyplan-pg-", dir="/tmp")
    if os.geteuid() == 0:
        found = pwd.getpwnam("postgres")
        os.chown(folder, found.pw_uid, found.pw_gid)
        user = {"user": found.pw_uid, "group": found.pw_gid, "extra_groups": []}
    data = os.path.join(folder, "data")

    def run(name, *arguments):
        subprocess.run(
            [os.path.join(programs, name), *arguments], check=True, cwd=folder, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)

    try:
        run("initdb", "-D", data, "-U", "keyplan", "--auth=trust", "-E", "UTF8", "--locale=C", "-N")
        options = f"-c listen_addresses= -c unix_socket_directories={folder}"
        run("pg_ctl", "-D", data, "-w", "-l", os.path.join(folder, "log"), "-o", options, "start")
        run("createdb", "-h", folder, "-U", "keyplan", "keyplan")
        yield f"postgres://keyplan@{urllib.parse.quote(folder, safe='')}/keyplan"
    finally:
        subprocess.run(
            [os.path.join(programs, "pg_ctl"), "-D", data, "-m", "immediate", "stop"], check=False, cwd=folder,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)
        shutil.rmtree(folder, ignore_errors=True)
