"""Looks at a page in headless Chromium, at two widths, in two colour schemes and printed, and writes what it found as JSON.

page.py AXE.js PAGE.html [PICTURES]

A small WebDriver client: scripts that it runs are not subject to the page's content security policy.
"""
import base64
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

axe, page = Path(sys.argv[1]).read_text(), Path(sys.argv[2]).resolve()
pictures = Path(sys.argv[3]) if len(sys.argv) > 3 else None

driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
port = next(line.rsplit("port ", 1)[1].strip().rstrip(".") for line in driver.stdout if "successfully on port" in line)
base = f"http://127.0.0.1:{port}"


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data, {"Content-Type": "application/json"}, method=method)
    return json.load(urllib.request.urlopen(request, timeout=900))["value"]


def run(script, *arguments):
    return call("POST", session + "/execute/sync", {"script": script, "args": list(arguments)})


def protocol(command, **parameters):
    return call("POST", session + "/goog/cdp/execute", {"cmd": command, "params": parameters})


def picture(name):
    if pictures is None:
        return
    size = protocol("Page.getLayoutMetrics")["cssContentSize"]
    clip = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 4000), "scale": 1}
    shot = protocol("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
    (pictures / f"{name}.png").write_bytes(base64.b64decode(shot["data"]))


options = {"args": ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]}
capabilities = {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}
session = "/session/" + call("POST", "/session", {"capabilities": capabilities})["sessionId"]
# axe looks at every element of a page with a thousand keys, on a machine that is busy.
call("POST", session + "/timeouts", {"script": 900_000, "pageLoad": 900_000})
found = {"violations": [], "overflow": [], "console": [], "requests": []}
try:
    for width in (375, 1280):
        for scheme in ("light", "dark"):
            name = f"{width}-{scheme}"
            protocol(
                "Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
            feature = {"name": "prefers-color-scheme", "value": scheme}
            protocol("Emulation.setEmulatedMedia", media="", features=[feature])
            call("POST", session + "/url", {"url": page.as_uri()})
            picture(name)
            if run("return document.scrollingElement.scrollWidth > innerWidth"):
                found["overflow"].append(name)
            found["background-" + scheme] = run("return getComputedStyle(document.body).backgroundColor")
            # The contrast of each of ten thousand elements takes minutes; a page with ten keys has all colours.
            isLarge = run("return document.querySelectorAll('main *').length > 3000")
            if isLarge and name != "1280-light":
                continue
            run(axe)
            result = call(
                "POST", session + "/execute/async",
                {"script": "const done = arguments[1];"
                 "axe.run({rules: {'color-contrast': {enabled: arguments[0]}}}).then(r => done(r.violations.map(v => "
                 "v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' | '))))", "args": [not isLarge]})
            found["violations"] += [f"{name}: {violation}" for violation in result]
    found["requests"] = run("return performance.getEntriesByType('resource').map(e => e.name)")
    found["title"] = run("return document.title")
    found["scripts"] = run("return document.scripts.length")
    found["strange"] = run("return [...document.querySelectorAll('main *')].filter(e => "
                           "e.id === 'injected' || e.tagName === 'IMG' || e.tagName === 'SCRIPT' || "
                           "[...e.attributes].some(a => a.name.startsWith('on'))).length")
    found["rows"] = run("return document.querySelectorAll('#keys tbody tr').length")
    found["shown"] = run(
        "const i = document.querySelector('#filter input'); if (!i) return -1; i.value = arguments[0];"
        "i.dispatchEvent(new Event('input'));"
        "return [...document.querySelectorAll('#keys tbody tr')].filter(r => !r.hidden).length", "key-7")
    call("POST", session + "/url", {"url": page.as_uri()})
    protocol("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    found["print"] = run("return getComputedStyle(document.body).backgroundColor")
    if pictures is not None:
        pdf = protocol("Page.printToPDF", printBackground=False)["data"]
        (pictures / "print.pdf").write_bytes(base64.b64decode(pdf))
    # The keyboard reaches the links and the filter, in the order of the page.
    call("POST", session + "/url", {"url": page.as_uri()})
    for _ in range(3):
        keys = [{"type": "keyDown", "value": "\ue004"}, {"type": "keyUp", "value": "\ue004"}]
        call("POST", session + "/actions", {"actions": [{"type": "key", "id": "k", "actions": keys}]})
        found.setdefault("focus", []).append(run("return document.activeElement.getAttribute('href') || ''"))
    found["console"] = [entry["message"] for entry in call("POST", session + "/se/log", {"type": "browser"})]
finally:
    call("DELETE", session)
    driver.terminate()
    driver.wait()
json.dump(found, sys.stdout)
