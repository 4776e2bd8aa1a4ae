"""Starts a node exporter with the textfile collector, and a Prometheus that scrapes it and has alert rules, both on loopback.

prometheus.py FOLDER RULES: prints the scrape's error, and the alerts once there is one.
"""
import json
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

folder, rules = (Path(argument).resolve() for argument in sys.argv[1:])


def port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def get(address):
    with urllib.request.urlopen(address, timeout=10) as answer:
        return answer.read().decode()


exporter, server = port(), port()
with tempfile.TemporaryDirectory() as data:
    configuration = Path(data) / "prometheus.yml"
    configuration.write_text(
        "global: { scrape_interval: 1s, evaluation_interval: 1s }\n"
        f"rule_files: ['{rules}']\n"
        f"scrape_configs: [{{ job_name: node, static_configs: [{{ targets: ['127.0.0.1:{exporter}'] }}] }}]\n")
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    processes = [
        subprocess.Popen(
            ["prometheus-node-exporter", "--collector.disable-defaults", "--collector.textfile",
             f"--collector.textfile.directory={folder}", f"--web.listen-address=127.0.0.1:{exporter}"], **quiet),
        subprocess.Popen(
            ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={data}/tsdb",
             f"--web.listen-address=127.0.0.1:{server}"], **quiet),
    ]
    try:
        for _ in range(240):
            try:
                alerts = json.loads(get(f"http://127.0.0.1:{server}/api/v1/alerts"))["data"]["alerts"]
                if any(alert["state"] == "firing" for alert in alerts):
                    break
            except OSError:
                pass
            time.sleep(0.5)
        lines = get(f"http://127.0.0.1:{exporter}/metrics").splitlines()
        print(next(line for line in lines if line.startswith("node_textfile_scrape_error ")))
        for alert in alerts:
            labels = alert["labels"]
            print(labels["alertname"], labels.get("key", "-"), alert["state"])
    finally:
        for process in processes:
            process.terminate()
            process.wait()
