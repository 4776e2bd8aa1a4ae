"""A fake of the services that keyplan has descriptions of, on loopback.

Each test has an instance of its own: the first two segments of the path, `/i/NAME`. An instance keeps what was written,
the requests that arrived, and the faults that are due.

    POST /i/NAME/_/fault      a fault, as JSON: see `Instance.due`
    GET  /i/NAME/_/requests   the requests since the last time this was asked
    GET  /i/NAME/_/bodies     their bodies, since the last time this was asked
"""
import base64
import http.server
import itertools
import json
import re
import threading
import urllib.parse

import loopback

ROUTES = []
TICKS = itertools.count(1)
LOGINS = re.compile(r".*(/auth/(oidc|universal-auth/login|oidc-auth/login|approle/login)|/token|:generateAccessToken)")


def route(method, pattern):
    def register(handler):
        ROUTES.append((method, re.compile(pattern), handler))
        return handler

    return register


class Answer(Exception):
    """An answer that ends the request."""

    def __init__(self, status, body=None, **headers):
        super().__init__(status)
        self.status, self.body = status, body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def require(condition, status, body):
    if not condition:
        raise Answer(status, body)


def mark():
    tick = next(TICKS)
    return f"2026-11-22T{tick // 3600 % 24:02}:{tick // 60 % 60:02}:{tick % 60:02}Z"


class Instance:
    def __init__(self):
        self.state, self.faults, self.requests, self.bodies = {}, [], [], []

    def table(self, *key):
        return self.state.setdefault(key, {})

    def due(self, request):
        """The fault for this request, if one is due.

        methods: those that it concerns; writes: whether it concerns writes only; skip: how many of them pass first; times: how many it concerns.
        kind: `answer` (status, headers, body), `drop` (before it is processed), `dropAfter` (after it was).
        """
        for fault in self.faults:
            if request.method not in (fault.get("methods") or [request.method]):
                continue
            if fault.get("writes") and not request.writes:
                continue
            if fault.get("skip", 0) > 0:
                fault["skip"] -= 1
                continue
            if fault.get("times", 1) > 0:
                fault["times"] = fault.get("times", 1) - 1
                return fault
        return None


class Request:
    def __init__(self, instance, prefix, handler):
        parts = urllib.parse.urlsplit(handler.path)
        self.instance, self.prefix, self.headers = instance, prefix, handler.headers
        self.is_proxied = bool(parts.netloc)
        self.method = handler.command
        self.path = parts.path if self.is_proxied else parts.path[len(prefix):]
        self.query_text = parts.query
        self.query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        self.raw = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        self.json, self.form = None, {}
        try:
            self.json = json.loads(self.raw) if self.raw else None
        except ValueError:
            self.form = dict(urllib.parse.parse_qsl(self.raw.decode("utf-8", "replace")))

    def address(self, path):
        return f"http://{self.headers['host']}{'' if self.is_proxied else self.prefix}{path}"

    def table(self, *key):
        return self.instance.table(*key)

    @property
    def writes(self):
        """Whether it changes a secret: not a login, nor a query of GraphQL."""
        is_query = self.path == "/graphql/v2" and "mutation" not in self.json["query"]
        return self.method != "GET" and not is_query and not LOGINS.fullmatch(self.path)

    @property
    def token(self):
        names = ("authorization", "private-token", "circle-token", "x-consul-token", "x-vault-token",
                 "project-access-token")
        found = next((self.headers[name] for name in names if self.headers.get(name)), None)
        # GitHub's client writes "token". What follows the first point makes a token unlike others.
        return found and re.sub("^(Bearer|token) ", "", found).partition(".")[0]


def page(items, size, number):
    """One page, counted from 1, and whether there are more. Pages are small, whatever was asked for."""
    size = min(size, 7)
    return items[(number - 1) * size:number * size], number * size < len(items)


# GitHub Actions. The bodies are those of githubkit-schemas 26.10: ReposOwnerRepoActionsVariablesPostBody and
# OrgsOrgActionsVariablesPostBody, whose `visibility` is required.

GITHUB = r"/(?:repos/([^/]+)/([^/]+)|orgs/([^/]+))/(?:actions|environments/([^/]+))"
GITHUB_VISIBILITIES = ("all", "private", "selected")


def github_table(request, owner, repository, organization, environment):
    require("nope" not in (repository, organization), 404, {"message": "Not Found"})
    return request.table("variables", repository, organization, environment)


@route("GET", GITHUB + "/variables")
def github_variables(request, *place):
    table = github_table(request, *place)
    size, number = int(request.query.get("per_page", 10)), int(request.query.get("page", 1))
    some, more = page(sorted(table.values(), key=lambda entry: entry["name"]), size, number)
    following = request.address(f"{request.path}?per_page={size}&page={number + 1}")
    headers = {"Link": f'<{request.address("/x")}>; rel="first", <{following}>; rel="next"'} if more else {}
    raise Answer(200, {"total_count": len(table), "variables": some}, **headers)


@route("GET", GITHUB + "/variables/([^/]+)")
def github_variable(request, *place):
    *place, name = place
    entry = github_table(request, *place).get(name.upper())
    require(entry, 404, {"message": "Not Found"})
    raise Answer(200, entry)


@route("POST", "/graphql")
def github_repository(request):
    """GitHub's client looks up the number of a repository, and writes to its environments at `/repositories/NUMBER`."""
    wanted = re.search(r'(\w+): repository\(owner: "(\w+)", name: "(\w+)"\)', request.json["query"])
    request.table("repositories")["7"] = f"{wanted[2]}/{wanted[3]}"
    raise Answer(200, {"data": {wanted[1]: {"databaseId": 7}}})


def github_path(request):
    match = re.fullmatch(r"/repositories/(\d+)(/.*)", request.path)
    name = match and request.table("repositories").get(match[1])
    return f"/repos/{name}{match[2]}" if name else request.path


@route("POST", GITHUB + "/variables")
def github_create(request, owner, repository, organization, environment):
    table = github_table(request, owner, repository, organization, environment)
    name, visibility = request.json["name"].upper(), request.json.get("visibility")
    if organization:
        invalid = {"message": "Invalid request.\n\n\"visibility\" wasn't supplied.", "status": "422"}
        require(visibility in GITHUB_VISIBILITIES, 422, invalid)
    else:
        require(request.json.keys() == {"name", "value"}, 422, {"message": "Invalid request.", "status": "422"})
    require(name not in table, 409, {"message": "Already exists"})
    now = mark()
    shown = {"visibility": visibility} if organization else {}
    table[name] = {"name": name, "value": request.json["value"], "created_at": now, "updated_at": now, **shown}
    raise Answer(201, {})


@route("PATCH", GITHUB + "/variables/([^/]+)")
def github_update(request, *place):
    *place, name = place
    entry = github_table(request, *place).get(name.upper())
    require(entry, 404, {"message": "Not Found"})
    entry.update(value=request.json["value"], updated_at=mark())
    raise Answer(204)


@route("DELETE", GITHUB + "/variables/([^/]+)")
def github_delete(request, *place):
    *place, name = place
    require(github_table(request, *place).pop(name.upper(), None), 404, {"message": "Not Found"})
    raise Answer(204)


# GitLab

GITLAB = r"/api/v4/projects/([^/]+)/variables"
GITLAB_FIELDS = {"variable_type": "env_var", "protected": False, "masked": False, "raw": False, "description": None}


def gitlab_find(request, project, name):
    """The one variable that is meant. Its scope is in the query or in the body, as `filter[environment_scope]`."""
    table = request.table("gitlab", project)
    filters = request.json.get("filter", {}) if isinstance(request.json, dict) else {}
    scope = request.query.get("filter[environment_scope]", filters.get("environment_scope"))
    keys = [key for key in table if key[0] == name and scope in (None, key[1])]
    several = "There are multiple variables with provided parameters. Please use 'filter[environment_scope]'"
    require(len(keys) < 2, 409, {"message": several})
    require(keys, 404, {"message": "404 Variable Not Found"})
    return table, keys[0]


def gitlab_shown(entry):
    return {**entry, "value": None if entry["hidden"] else entry["value"]}


def gitlab_check(value, masked):
    if masked and (len(value) < 8 or " " in value or "\n" in value):
        raise Answer(400, {"message": {"value": ["is invalid"]}})


@route("GET", GITLAB)
def gitlab_list(request, project):
    require(project != "nope", 404, {"message": "404 Project Not Found"})
    entries = [gitlab_shown(entry) for entry in request.table("gitlab", project).values()]
    number, size = int(request.query.get("page", 1)), int(request.query.get("per_page", 20))
    some, more = page(entries, size, number)
    # Python's client follows the link, others the number.
    following = request.address(f"{request.path}?page={number + 1}&per_page={size}")
    link = {"Link": f'<{following}>; rel="next"'} if more else {}
    raise Answer(200, some, x_next_page=str(number + 1) if more else "", x_page=str(number), **link)


@route("POST", GITLAB)
def gitlab_create(request, project):
    body, table = request.json, request.table("gitlab", project)
    key = body["key"], body.get("environment_scope", "*")
    require(key not in table, 400, {"message": {"key": [f"({key[0]}) has already been taken"]}})
    hidden = bool(body.get("masked_and_hidden"))
    gitlab_check(body["value"], hidden or body.get("masked"))
    known = {name: body[name] for name in GITLAB_FIELDS if name in body}
    table[key] = {
        **GITLAB_FIELDS, **known, "key": key[0], "value": body["value"], "environment_scope": key[1], "hidden": hidden,
        "masked": hidden or bool(body.get("masked"))}
    raise Answer(201, gitlab_shown(table[key]))


@route("GET", GITLAB + "/([^/]+)")
def gitlab_read(request, project, name):
    table, key = gitlab_find(request, project, name)
    raise Answer(200, gitlab_shown(table[key]))


@route("PUT", GITLAB + "/([^/]+)")
def gitlab_update(request, project, name):
    table, key = gitlab_find(request, project, name)
    gitlab_check(request.json["value"], request.json.get("masked", table[key]["masked"]))
    table[key].update({name: request.json[name] for name in ("value", *GITLAB_FIELDS) if name in request.json})
    raise Answer(200, gitlab_shown(table[key]))


@route("DELETE", GITLAB + "/([^/]+)")
def gitlab_delete(request, project, name):
    table, key = gitlab_find(request, project, name)
    del table[key]
    raise Answer(204)


# Cloudflare Workers

CLOUDFLARE = r"/client/v4/accounts/([^/]+)/workers/scripts/([^/]+)/"


def cloudflare(result):
    raise Answer(200, {"success": True, "errors": [], "messages": [], "result": result})


def cloudflare_shown(name):
    return {"name": name, "type": "secret_text"}


def cloudflare_failure(status, code, message):
    return status, {"success": False, "errors": [{"code": code, "message": message}], "result": None, "messages": []}


def cloudflare_table(request, script):
    require(script != "nope", *cloudflare_failure(404, 10007, "This Worker does not exist"))
    return request.table("cloudflare", script)


@route("GET", CLOUDFLARE + "secrets")
def cloudflare_list(request, account, script):
    cloudflare([cloudflare_shown(name) for name in cloudflare_table(request, script)])


@route("GET", CLOUDFLARE + "secrets/([^/]+)")
def cloudflare_read(request, account, script, name):
    found = name in cloudflare_table(request, script)
    require(found, *cloudflare_failure(404, 10056, "Secret not found"))
    cloudflare(cloudflare_shown(name))


@route("PUT", CLOUDFLARE + "secrets")
def cloudflare_put(request, account, script):
    require(request.json["type"] == "secret_text", *cloudflare_failure(400, 10021, "Unknown type"))
    cloudflare_table(request, script)[request.json["name"]] = request.json["text"]
    cloudflare(cloudflare_shown(request.json["name"]))


@route("DELETE", CLOUDFLARE + "secrets/([^/]+)")
def cloudflare_delete(request, account, script, name):
    gone = cloudflare_table(request, script).pop(name, None)
    require(gone is not None, *cloudflare_failure(404, 10056, "Secret not found"))
    cloudflare(None)


@route("PATCH", CLOUDFLARE + "secrets-bulk")
def cloudflare_write(request, account, script):
    table = cloudflare_table(request, script)
    for name, secret in request.json["secrets"].items():
        if secret is None:
            table.pop(name, None)
        else:
            require(secret["name"] == name, *cloudflare_failure(400, 10021, "The names differ"))
            table[name] = secret["text"]
    # Here a table of the names, not a list.
    cloudflare({name: cloudflare_shown(name) for name in table})


# Doppler

def doppler_secrets(request):
    """All secrets of the config that were asked for, with those that Doppler adds."""
    config, wanted = request.query["config"], request.query.get("secrets")
    require(config != "nope", 404, {"messages": ["Could not find requested config"], "success": False})
    own = {"DOPPLER_PROJECT": request.query["project"], "DOPPLER_CONFIG": config, "DOPPLER_ENVIRONMENT": "dev"}
    secrets = request.table("doppler", config)
    if wanted:
        secrets = {name: value for name, value in secrets.items() if name in wanted.split(",")}
    return {**secrets, **own}


def doppler_computed(secrets):
    return {name: {"raw": value, "computed": value, "note": "", "rawVisibility": "masked",
                   "computedVisibility": "masked"} for name, value in secrets.items()}


@route("GET", "/v3/configs/config/secrets/download")
def doppler_download(request):
    raise Answer(200, doppler_secrets(request))


@route("GET", "/v3/configs/config/secrets")
def doppler_list(request):
    raise Answer(200, {"secrets": doppler_computed(doppler_secrets(request)), "success": True})


@route("POST", "/v3/configs/config/secrets")
def doppler_write(request):
    """Either conditional changes, or a table of names and values in which null removes."""
    table = request.table("doppler", request.query["config"])
    plain = [{"name": name, "value": value, "shouldDelete": value is None}
             for name, value in request.json.get("secrets", {}).items()]
    for change in request.json.get("change_requests", plain):
        before = change.get("originalValue")
        # That it is refused is documented (doppler-sdk 1.3.0, SecretsUpdateRequest), with which status is not.
        conflict = {"messages": ["The original value differs"], "success": False}
        require(before is None or table.get(change["name"]) == before, 409, conflict)
        if change.get("shouldDelete"):
            table.pop(change["name"], None)
        else:
            table[change["name"]] = change["value"]
    raise Answer(200, {"secrets": doppler_computed(doppler_secrets(request)), "success": True})


@route("POST", "/v3/auth/oidc")
def doppler_login(request):
    require(request.json["token"] == "jwt", 401, {"messages": ["Invalid"], "success": False})
    raise Answer(200, {"token": "good", "expires_at": "x"})


# Infisical. What the fourth version does unless it is refused is that of Infisical/cli 242df55, packages/api/api.go (CallGetSecretsV4);
# the answer with an approval is that of the server's routes/v4/secret-router.ts.

@route("POST", "/api/v1/auth/universal-auth/login")
def infisical_login(request):
    require(request.json["clientSecret"] == "cs", 401, {"statusCode": 401, "message": "Invalid credentials"})
    raise Answer(200, {"accessToken": "good", "expiresIn": 7200, "accessTokenMaxTTL": 7200, "tokenType": "Bearer"})


# Infisical's own Python client uses the third version, which names the project differently.
INFISICAL = "/api/(?:v4/secrets|v3/secrets/raw)"


def infisical_table(request):
    """The secrets of the project, the environment and the folder of the request, which are in its query or its body."""
    fields = request.query if request.method == "GET" else request.json
    project = fields.get("projectId") or fields.get("workspaceId")
    require(project and fields.get("environment"), 422, {"statusCode": 422, "message": "Invalid request"})
    require(project != "nope", 404, {"statusCode": 404, "message": "Project not found"})
    return request.table("infisical", project, fields["environment"], fields.get("secretPath") or "/")


def infisical_shown(request, entry):
    if request.query.get("viewSecretValue") == "false":
        return {**entry, "secretValue": "<hidden-by-infisical>", "secretValueHidden": True}
    return entry


def infisical_found(table, name):
    require(name in table, 404, {"statusCode": 404, "message": f"Secret with name '{name}' not found"})
    return table[name]


# What the folder "/x y" imports, in this order: of two imports, the later one counts, and own secrets before both. So says
# InjectRawImportedSecret of Infisical's program (cli/packages/util/secrets.go); the form is infisicalsdk's `Import`.
INFISICAL_IMPORTS = {"/x y": ["/shared", "/more"]}
# Writes to this folder need an approval.
INFISICAL_GUARDED = "/guarded"


@route("GET", INFISICAL)
def infisical_list(request):
    def shown(table):
        return [infisical_shown(request, entry) for entry in table.values()]

    secrets, imports = shown(infisical_table(request)), []
    project, environment = request.query.get("projectId") or request.query["workspaceId"], request.query["environment"]
    folder = request.query.get("secretPath") or "/"
    # The fourth version names one parameter differently from the third, and has other defaults.
    is_fourth = request.path.startswith("/api/v4/")
    parameter, default = ("includeImports", "true") if is_fourth else ("include_imports", "false")
    if request.query.get(parameter, default) == "true":
        imports = [{"secretPath": path, "environment": environment, "folderId": f"f{path}",
                    "secrets": shown(request.table("infisical", project, environment, path))}
                   for path in INFISICAL_IMPORTS.get(folder, [])]
    if request.query.get("recursive", default) == "true":
        for key, table in list(request.instance.state.items()):
            if key[:3] == ("infisical", project, environment) and key[3].startswith(folder.rstrip("/") + "/"):
                secrets += shown(table) if key[3] != folder else []
    raise Answer(200, {"secrets": secrets, "imports": imports})


@route("GET", INFISICAL + "/([^/]+)")
def infisical_read(request, name):
    raise Answer(200, {"secret": infisical_shown(request, infisical_found(infisical_table(request), name))})


@route("POST", INFISICAL + "/([^/]+)")
def infisical_create(request, name):
    approval = {"approval": {"id": "a1", "slug": "a1", "status": "open"}}
    require(request.json.get("secretPath") != INFISICAL_GUARDED, 200, approval)
    table, now = infisical_table(request), mark()
    require(name not in table, 400, {"statusCode": 400, "message": "Secret already exist"})
    table[name] = {
        "id": f"s{next(TICKS)}", "_id": f"s{next(TICKS)}", "workspace": "p", "environment": request.json["environment"],
        "secretPath": request.json["secretPath"], "type": "shared", "secretKey": name,
        "secretValue": request.json["secretValue"], "secretComment": "", "version": 1, "secretValueHidden": False,
        "createdAt": now, "updatedAt": now}
    raise Answer(200, {"secret": table[name]})


@route("PATCH", INFISICAL + "/([^/]+)")
def infisical_update(request, name):
    entry = infisical_found(infisical_table(request), name)
    entry.update(secretValue=request.json["secretValue"], version=entry["version"] + 1, updatedAt=mark())
    raise Answer(200, {"secret": entry})


@route("DELETE", INFISICAL + "/([^/]+)")
def infisical_delete(request, name):
    table = infisical_table(request)
    entry = infisical_found(table, name)
    del table[name]
    raise Answer(200, {"secret": entry})


# 1Password Connect

VAULT, ITEM = "v" * 26, "i" * 26


VAULTS = [{"id": VAULT, "name": "Team"}, {"id": "w" * 26, "name": "Twice"}, {"id": "x" * 26, "name": "Twice"}]


def onepassword(request):
    # The purposes are those that onepasswordconnectsdk's Field allows. Members without a value are left out of answers.
    fields = [
        {"id": "username", "label": "username", "purpose": "USERNAME", "value": "u", "type": "STRING"},
        {"id": "password", "label": "password", "purpose": "PASSWORD", "value": "p", "type": "CONCEALED"},
        {"id": "notesPlain", "label": "notesPlain", "purpose": "NOTES", "type": "STRING"},
        {"id": "linked", "type": "STRING", "section": {"id": "linked items"}, "value": "an item"}]
    return request.table("onepassword").setdefault("item", {
        "id": ITEM, "title": 'My "Item"', "category": "LOGIN", "vault": {"id": VAULT}, "version": 1, "fields": fields,
        "createdAt": mark(), "updatedAt": mark()})


def onepassword_filtered(request, attribute, entries):
    """Those whose name is the one of the filter: `name eq "Team"`, in which a quotation mark is escaped."""
    text = request.query.get("filter")
    if text is None:
        return entries
    match = re.fullmatch(attribute + r' eq "((?:[^"\\]|\\.)*)"', text)
    require(match, 400, {"status": 400, "message": "Invalid filter"})
    wanted = re.sub(r"\\(.)", r"\1", match[1])
    return [entry for entry in entries if entry[attribute] == wanted]


@route("GET", "/v1/vaults")
def onepassword_vaults(request):
    raise Answer(200, onepassword_filtered(request, "name", VAULTS))


@route("GET", r"/v1/vaults/(\w+)/items")
def onepassword_items(request, vault):
    require(any(entry["id"] == vault for entry in VAULTS), 404, {"status": 404, "message": "Invalid Vault UUID"})
    item = {name: value for name, value in onepassword(request).items() if name != "fields"}
    raise Answer(200, onepassword_filtered(request, "title", [item] if vault == VAULT else []))


def onepassword_require(vault, item):
    require((vault, item) == (VAULT, ITEM), 404, {"status": 404, "message": "Item not found"})


@route("GET", r"/v1/vaults/(\w+)/items/(\w+)")
def onepassword_item(request, vault, item):
    onepassword_require(vault, item)
    raise Answer(200, onepassword(request))


@route("PUT", r"/v1/vaults/(\w+)/items/(\w+)")
def onepassword_replace(request, vault, item):
    """The whole item: fields that are left out are gone, and new ones get an ID."""
    onepassword_require(vault, item)
    whole = onepassword(request)
    require(request.json["id"] == item and request.json["vault"]["id"] == vault, 400, {"status": 400, "message": "m"})
    fields = [{**field, "id": field.get("id") or f"f{next(TICKS)}"} for field in request.json["fields"]]
    whole.update(fields=fields, version=whole["version"] + 1, updatedAt=mark())
    raise Answer(200, whole)


@route("PATCH", r"/v1/vaults/(\w+)/items/(\w+)")
def onepassword_patch(request, vault, item):
    onepassword_require(vault, item)
    whole = onepassword(request)
    for operation in request.json:
        path = re.fullmatch(r"/fields/([^/]+)(/value)?", operation["path"])
        if operation["op"] == "add":
            whole["fields"].append({"id": f"f{next(TICKS)}", **operation["value"]})
            continue
        field = next((field for field in whole["fields"] if path and field["id"] == path[1]), None)
        require(field, 400, {"status": 400, "message": "no such field"})
        if operation["op"] == "replace":
            field["value"] = operation["value"]
        else:
            whole["fields"].remove(field)
    whole["version"] += 1
    raise Answer(200, whole)


# Google Cloud

def google(status, name):
    return {"error": {"code": status, "status": name, "message": name.lower()}}


def crc32c(data):
    checksum = 0xFFFFFFFF
    for byte in data:
        checksum ^= byte
        for _ in range(8):
            checksum = checksum >> 1 ^ (0x82F63B78 if checksum & 1 else 0)
    return str(checksum ^ 0xFFFFFFFF)


GCP = r"/v1/projects/([^/]+)/secrets"


def gcp_shown(name):
    return {"name": f"projects/1/secrets/{name}", "replication": {"automatic": {}}, "createTime": mark(), "etag": '"1"'}


def gcp_versions(request, name):
    versions = request.table("gcp").get(name)
    require(versions is not None, 404, google(404, "NOT_FOUND"))
    return versions


def gcp_version(request, name, number):
    """A version and its full name. The latest is the one with the highest number, also if it is disabled."""
    versions = gcp_versions(request, name)
    number = len(versions) if number == "latest" else int(number)
    require(0 < number <= len(versions), 404, google(404, "NOT_FOUND"))
    return versions[number - 1], f"projects/1/secrets/{name}/versions/{number}"


@route("GET", GCP)
def gcp_list(request, project):
    require(project != "nope", 403, google(403, "PERMISSION_DENIED"))
    names, number = sorted(request.table("gcp")), int(request.query.get("pageToken") or 1)
    some, more = page(names, int(request.query.get("pageSize") or 25000), number)
    following = {"nextPageToken": str(number + 1)} if more else {}
    raise Answer(200, {"secrets": [gcp_shown(name) for name in some], "totalSize": len(names), **following})


@route("POST", GCP)
def gcp_create(request, project):
    name = request.query["secretId"]
    require(name not in request.table("gcp"), 409, google(409, "ALREADY_EXISTS"))
    require("replication" in request.json, 400, google(400, "INVALID_ARGUMENT"))
    request.table("gcp")[name] = []
    raise Answer(200, gcp_shown(name))


@route("POST", GCP + r"/([^/:]+):addVersion")
def gcp_add(request, project, name):
    versions, payload = gcp_versions(request, name), request.json["payload"]
    data = base64.b64decode(payload["data"], validate=True)
    checksum = payload.get("dataCrc32c")
    require(checksum is None or str(checksum) == crc32c(data), 400, google(400, "INVALID_ARGUMENT"))
    versions.append({"data": data, "state": "ENABLED"})
    raise Answer(200, {"name": gcp_version(request, name, "latest")[1], "state": "ENABLED", "createTime": mark()})


@route("GET", GCP + r"/([^/:]+)/versions/(latest|\d+):access")
def gcp_access(request, project, name, number):
    require(project != "nope", 403, google(403, "PERMISSION_DENIED"))
    version, full = gcp_version(request, name, number)
    if version["state"] != "ENABLED":
        failure = google(400, "FAILED_PRECONDITION")
        failure["error"]["message"] = f"Secret Version [{full}] is in {version['state']} state."
        raise Answer(400, failure)
    data = version["data"]
    payload = {"data": base64.b64encode(data).decode(), "dataCrc32c": crc32c(data)}
    raise Answer(200, {"name": full, "payload": payload})


@route("POST", GCP + r"/([^/:]+)/versions/(\d+):(enable|disable|destroy)")
def gcp_change(request, project, name, number, verb):
    version, full = gcp_version(request, name, number)
    version["state"] = verb.upper() + ("ED" if verb == "destroy" else "D")
    raise Answer(200, {"name": full, "state": version["state"], "createTime": mark()})


@route("DELETE", GCP + r"/([^/:]+)")
def gcp_delete(request, project, name):
    require(request.table("gcp").pop(name, None) is not None, 404, google(404, "NOT_FOUND"))
    raise Answer(200, {})


@route("POST", "/v1/token")
def gcp_exchange(request):
    require(request.form.get("subject_token") == "jwt", 400, {"error": "invalid_grant"})
    raise Answer(200, {"access_token": "federated", "token_type": "Bearer", "expires_in": 3600})


@route("POST", r"/v1/projects/-/serviceAccounts/([^/]+):generateAccessToken")
def gcp_impersonate(request, account):
    require(request.token == "federated", 401, {})
    raise Answer(200, {"accessToken": "good", "expireTime": "x"})


# Azure Key Vault

AZURE = "https://kp.vault.azure.net"


def azure(code, inner=None):
    return {"error": {"code": code, "message": "m", **({"innererror": {"code": inner}} if inner else {})}}


def azure_shown(name, version, number, shows_value=True):
    shown = {"id": f"{AZURE}/secrets/{name}/{number:032x}", "attributes": {"enabled": version["enabled"], "created": 1}}
    return {**shown, "value": version["value"]} if shows_value else shown


def azure_versions(request, name, kind="azure"):
    versions = request.table(kind).get(name)
    require(versions, 404, azure("SecretNotFound"))
    return versions


def azure_deleted(name, versions):
    return {**azure_shown(name, versions[-1], len(versions), False), "recoveryId": f"{AZURE}/deletedsecrets/{name}",
            "deletedDate": 1, "scheduledPurgeDate": 2}


@route("POST", r"/([^/]+)/oauth2/v2.0/token")
def azure_login(request, tenant):
    kind, point, rest = request.form.get("client_secret", "").partition(".")
    require(kind == "cs", 400, {"error": "invalid_client"})
    raise Answer(200, {"access_token": "good" + point + rest, "expires_in": 3599})


@route("GET", "/secrets/?")
def azure_list(request):
    number = int(request.query.get("page", 1))
    some, more = page(sorted(request.table("azure").items()), int(request.query.get("maxresults", 25)), number)
    shown = [{**azure_shown(name, versions[-1], 0, False), "id": f"{AZURE}/secrets/{name}"} for name, versions in some]
    following = f"{AZURE}/secrets?api-version={request.query['api-version']}&page={number + 1}"
    raise Answer(200, {"value": shown, "nextLink": following if more else None})


# The newest version is asked for with a slash at the end by Microsoft's client.
@route("GET", "/secrets/([^/]+)(?:/([0-9a-f]{32})?)?")
def azure_read(request, name, number):
    versions = azure_versions(request, name)
    number = int(number, 16) if number else len(versions)
    require(0 < number <= len(versions), 404, azure("SecretNotFound"))
    version = versions[number - 1]
    require(version["enabled"], 403, azure("Forbidden", "SecretDisabled"))
    raise Answer(200, azure_shown(name, version, number))


@route("PUT", "/secrets/([^/]+)/?")
def azure_put(request, name):
    is_deleted = name in request.table("azure-deleted")
    require(not is_deleted, 409, azure("Conflict", "ObjectIsDeletedButRecoverable"))
    versions = request.table("azure").setdefault(name, [])
    enabled = (request.json.get("attributes") or {}).get("enabled", True)
    versions.append({"value": request.json["value"], "enabled": enabled})
    raise Answer(200, azure_shown(name, versions[-1], len(versions)))


@route("PATCH", "/secrets/([^/]+)/([0-9a-f]{32})?")
def azure_change(request, name, number):
    versions = azure_versions(request, name)
    version = versions[int(number, 16) - 1 if number else -1]
    version["enabled"] = request.json["attributes"]["enabled"]
    raise Answer(200, azure_shown(name, version, len(versions), False))


@route("DELETE", "/secrets/([^/]+)/?")
def azure_delete(request, name):
    """It stays recoverable, and its name taken, until it is purged."""
    versions = azure_versions(request, name)
    request.table("azure-deleted")[name] = request.table("azure").pop(name)
    raise Answer(200, azure_deleted(name, versions))


@route("GET", "/deletedsecrets/([^/]+)/?")
def azure_read_deleted(request, name):
    raise Answer(200, azure_deleted(name, azure_versions(request, name, "azure-deleted")))


@route("DELETE", "/deletedsecrets/([^/]+)/?")
def azure_purge(request, name):
    azure_versions(request, name, "azure-deleted")
    del request.table("azure-deleted")[name]
    raise Answer(204)


@route("POST", "/deletedsecrets/([^/]+)/recover")
def azure_recover(request, name):
    versions = azure_versions(request, name, "azure-deleted")
    request.table("azure")[name] = request.table("azure-deleted").pop(name)
    raise Answer(200, azure_shown(name, versions[-1], len(versions), False))


# Vercel

@route("GET", "/v10/projects/([^/]+)/env")
def vercel_list(request, project):
    require(project != "nope", 404, {"error": {"code": "not_found", "message": "Project not found"}})
    entries = request.table("vercel", project).values()
    raise Answer(200, {"envs": [{key: entry[key] for key in entry if key != "value"} for entry in entries]})


@route("POST", "/v10/projects/([^/]+)/env")
def vercel_write(request, project):
    table, failed = request.table("vercel", project), []
    for wanted in request.json:
        if wanted["key"] == "KP_FAIL":
            failed.append({"error": {"code": "ENV_CONFLICT", "envVarKey": wanted["key"]}})
            continue
        same = (entry for entry in table.values() if (entry["key"], entry["target"]) == (wanted["key"], wanted["target"]))
        identifier = next((entry["id"] for entry in same), f"env{next(TICKS)}")
        table[identifier] = {"id": identifier, **wanted, "updatedAt": 1700000000000 + next(TICKS)}
    raise Answer(201, {"created": [], "failed": failed})


@route("GET", "/v1/projects/([^/]+)/env/([^/]+)")
def vercel_read(request, project, identifier):
    entry = request.table("vercel", project).get(identifier)
    require(entry, 404, {"error": {"code": "not_found"}})
    raise Answer(200, entry)


@route("DELETE", "/v9/projects/([^/]+)/env/([^/]+)")
def vercel_delete(request, project, identifier):
    require(request.table("vercel", project).pop(identifier, None), 404, {"error": {"code": "not_found"}})
    raise Answer(200, {})


# Netlify. What a secret must not be comes from netlify/cli 88ece29, commands/env/env-set.ts: without scopes it would have all,
# and a secret may not have post_processing, nor the contexts all and dev.

NETLIFY = "/api/v1/accounts/([^/]+)/env"
NETLIFY_SCOPES = ("builds", "functions", "runtime", "post_processing")


@route("GET", NETLIFY)
def netlify_list(request, account):
    shown = []
    for entry in request.table("netlify").values():
        values = [{**value, "value": "****" if entry["is_secret"] else value["value"]} for value in entry["values"]]
        shown.append({**entry, "values": values})
    raise Answer(200, shown)


@route("POST", NETLIFY)
def netlify_create(request, account):
    table = request.table("netlify")
    for entry in request.json:
        require(entry["key"] not in table, 409, {"code": 409, "message": "exists"})
        entry = {"scopes": NETLIFY_SCOPES, "is_secret": False, **entry}
        if entry["is_secret"]:
            forbidden = {"code": 422, "message": "Secret values cannot be used within the post-processing scope."}
            require("post_processing" not in entry["scopes"], 422, forbidden)
            contexts = {value["context"] for value in entry["values"]}
            require(not contexts & {"all", "dev"}, 422, {"code": 422, "message": "A secret needs a context."})
        values = [{"id": f"v{next(TICKS)}", **value} for value in entry["values"]]
        table[entry["key"]] = {**entry, "updated_at": mark(), "values": values}
    raise Answer(201, [])


@route("PATCH", NETLIFY + "/([^/]+)")
def netlify_update(request, account, name):
    entry = request.table("netlify").get(name)
    require(entry, 404, {"code": 404, "message": "Not Found"})
    others = [value for value in entry["values"] if value["context"] != request.json["context"]]
    entry.update(values=others + [{"id": f"v{next(TICKS)}", **request.json}], updated_at=mark())
    raise Answer(201, entry)


@route("DELETE", NETLIFY + "/([^/]+)/value/([^/]+)")
def netlify_delete(request, account, name, identifier):
    entry = request.table("netlify").get(name)
    require(entry and any(value["id"] == identifier for value in entry["values"]), 404, {"code": 404})
    entry["values"] = [value for value in entry["values"] if value["id"] != identifier]
    if not entry["values"]:
        del request.table("netlify")[name]
    raise Answer(204)


# Heroku

@route("GET", "/apps/([^/]+)/config-vars")
def heroku_list(request, app):
    require(app != "nope", 404, {"id": "not_found", "message": "Couldn't find that app."})
    raise Answer(200, request.table("heroku", app))


@route("PATCH", "/apps/([^/]+)/config-vars")
def heroku_write(request, app):
    table = request.table("heroku", app)
    for name, value in request.json.items():
        if value is None:
            table.pop(name, None)
        else:
            table[name] = value
    raise Answer(200, table)


# Render

@route("GET", "/v1/services/([^/]+)/env-vars")
def render_list(request, service):
    after = request.query.get("cursor", "")
    entries = sorted(item for item in request.table("render", service).items() if item[0] > after)
    some = entries[:min(int(request.query.get("limit", 20)), 7)]
    raise Answer(200, [{"envVar": {"key": name, "value": value}, "cursor": name} for name, value in some])


@route("PUT", "/v1/services/([^/]+)/env-vars/([^/]+)")
def render_put(request, service, name):
    request.table("render", service)[name] = request.json["value"]
    raise Answer(200, {"key": name, "value": request.json["value"]})


@route("DELETE", "/v1/services/([^/]+)/env-vars/([^/]+)")
def render_delete(request, service, name):
    require(request.table("render", service).pop(name, None) is not None, 404, {"message": "not found"})
    raise Answer(204)


# CircleCI

CIRCLE = "/api/v2/context/([0-9a-f-]{36})/environment-variable"


@route("GET", CIRCLE)
def circle_list(request, context):
    entries = sorted(request.table("circle", context).values(), key=lambda entry: entry["variable"])
    start = int(request.query.get("page-token", 0))
    following = str(start + 7) if start + 7 < len(entries) else None
    raise Answer(200, {"items": entries[start:start + 7], "next_page_token": following})


@route("PUT", CIRCLE + "/([^/]+)")
def circle_put(request, context, name):
    entry = {"variable": name, "context_id": context, "updated_at": mark(), "truncated_value": "****"}
    request.table("circle", context)[name] = entry
    raise Answer(200, entry)


@route("DELETE", CIRCLE + "/([^/]+)")
def circle_delete(request, context, name):
    gone = request.table("circle", context).pop(name, None)
    require(gone, 404, {"message": "Environment variable not found"})
    raise Answer(200, {"message": "deleted"})


# Fly.io: the digest is the mark. The forms are those of superfly/fly-go 22d6e51, secrets_types.go (ListAppSecretsResp,
# UpdateAppSecretsRequest, UpdateAppSecretsResp). A list that does not ask for the version of the last write is, the first time,
# the one before it.

def fly_shown(table):
    return [{"name": name, "digest": f"{hash(value) & 0xFFFFFFFF:08x}", "created_at": "2026-11-22T00:00:00Z",
             "updated_at": "2026-11-22T00:00:00Z"} for name, value in table.items()]


@route("GET", "/v1/apps/([^/]+)/secrets")
def fly_list(request, app):
    earlier = request.table("fly-earlier").pop(app, None)
    is_current = int(request.query.get("version", 0)) >= request.table("fly-versions").get(app, 0)
    table = request.table("fly", app) if is_current or earlier is None else earlier
    raise Answer(200, {"secrets": fly_shown(table)})


@route("POST", "/v1/apps/([^/]+)/secrets")
def fly_write(request, app):
    table, version = request.table("fly", app), next(TICKS)
    request.table("fly-earlier")[app] = dict(table)
    request.table("fly-versions")[app] = version
    for name, value in request.json["values"].items():
        if value is None:
            table.pop(name, None)
        else:
            table[name] = value
    raise Answer(200, {"version": version, "secrets": fly_shown(table)})


# Railway. A token of a project is sent in a header of its own (railwayapp/cli 4.61, src/client.rs), and in no other.

@route("POST", "/graphql/v2")
def railway(request):
    is_of_project = request.headers.get("project-access-token") is not None
    unauthorized = {"data": None, "errors": [{"message": "Not Authorized"}]}
    require(is_of_project != (request.headers.get("authorization") is not None), 200, unauthorized)
    table, variables = request.table("railway"), request.json["variables"]
    if "variableCollectionUpsert" in request.json["query"]:
        table.update(variables["input"]["variables"])
        raise Answer(200, {"data": {"variableCollectionUpsert": True}})
    if "variableDelete" in request.json["query"]:
        table.pop(variables["input"]["name"], None)
        raise Answer(200, {"data": {"variableDelete": True}})
    missing = {"data": None, "errors": [{"message": "Project not found"}]}
    require(variables["projectId"] != "nope", 200, missing)
    raise Answer(200, {"data": {"variables": table}})


# Consul. Without access control no request needs a token. With it, an unknown token is a 403 as a missing right is, and the
# answer is text (hashicorp/consul, agent/http.go and acl/errors.go).

@route("GET", "/v1/kv/(.*)")
def consul_read(request, key):
    if key not in request.table("consul"):
        raise Answer(404, None, X_Consul_Index="7")
    value, index = request.table("consul")[key]
    raise Answer(200, [{"Key": key, "Value": base64.b64encode(value).decode(), "ModifyIndex": index}])


def consul_guard(request, key):
    current = request.table("consul").get(key, (b"", 0))[1]
    require(int(request.query["cas"]) == current, 200, False)


@route("PUT", "/v1/kv/(.*)")
def consul_put(request, key):
    consul_guard(request, key)
    request.table("consul")[key] = (request.raw, next(TICKS))
    raise Answer(200, True)


@route("DELETE", "/v1/kv/(.*)")
def consul_delete(request, key):
    consul_guard(request, key)
    request.table("consul").pop(key, None)
    raise Answer(200, True)


# Vault, KV version 1

@route("GET", "/v1/sys/internal/ui/mounts/([^/]+)")
def vault_mount(request, mount):
    require(mount in ("secret", "second"), 403, {"errors": ["preflight capability check returned 403"]})
    version = "1" if mount == "secret" else "2"
    raise Answer(200, {"data": {"uuid": f"uuid-of-{mount}", "type": "kv", "options": {"version": version}}})


@route("GET", "/v1/auth/token/lookup-self")
def vault_self(request):
    raise Answer(200, {"data": {"policies": ["app"]}})


@route("POST", "/v1/auth/approle/login")
def vault_login(request):
    require(request.json["secret_id"] == "cs", 400, {"errors": ["invalid role or secret ID"]})
    raise Answer(200, {"auth": {"client_token": "good"}})


@route("POST", "/v1/auth/token/revoke-self")
def vault_logout(request):
    raise Answer(204)


@route("GET", "/v1/secret/(.*)")
def vault_read(request, path):
    require(path in request.table("vault"), 404, {"errors": []})
    raise Answer(200, {"data": request.table("vault")[path]})


@route("POST", "/v1/secret/(.*)")
def vault_write(request, path):
    request.table("vault")[path] = request.json
    raise Answer(204)


@route("DELETE", "/v1/secret/(.*)")
def vault_delete(request, path):
    request.table("vault").pop(path, None)
    raise Answer(204)


# Whose token it is

@route("GET", "(?:/api/v[14])?/user|/v2/user|/account|/api/v2/me|/v3/me")
def account(request):
    raise Answer(200, {"login": "ci-bot", "username": "ci-bot", "email": "ci-bot", "name": "ci-bot",
                       "user": {"username": "ci-bot"}})


@route("GET", "/client/v4/user/tokens/verify")
def cloudflare_token(request):
    raise Answer(200, {"success": True, "result": {"status": "active"}})


# The server

def refusal(request):
    """Without a valid token nothing is answered but logins."""
    if LOGINS.fullmatch(request.path) and request.method == "POST":
        return None
    is_vault = request.headers.get("x-vault-request")
    if request.token == "good":
        return None
    if request.path.startswith("/v1/kv/"):
        if request.token is None:
            return None
        lacks = b"Permission denied: token with AccessorID 'a' lacks permission 'key:read' on \"app/prod/KP_A\""
        text = lacks if request.token == "limited" else b"ACL not found"
        return Answer(403, text, Content_Type="text/plain")
    if request.token == "limited":
        verifies = request.path == "/v1/auth/token/lookup-self"
        return None if verifies else Answer(403, {"message": "Forbidden", "errors": ["permission denied"]})
    if is_vault:
        return Answer(403, {"errors": ["permission denied"]})
    challenge = 'Bearer authorization="https://login.microsoftonline.com/t", resource="https://vault.azure.net"'
    headers = {"WWW-Authenticate": challenge} if re.match("/(deleted)?secrets", request.path) else {}
    body = {"message": "Bad credentials", "success": False, "messages": ["Invalid Auth token"],
            "errors": [{"code": 10000, "message": "Authentication error"}], "error": {"code": "Unauthorized"}}
    return Answer(401, body, **headers)


def proxied_prefix(headers):
    """The instance of a client that has the fake as its proxy, because it accepts no address with a path: GitHub's. The
    user name for the proxy is the name of the instance."""
    kind, _, credentials = headers.get("proxy-authorization", "").partition(" ")
    if kind != "Basic":
        return None
    return "/i/" + base64.b64decode(credentials).decode().partition(":")[0]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body in one packet: otherwise each answer waits for an acknowledgement.
    wbufsize = 1 << 16
    instances, lock = {}, threading.Lock()

    def log_message(self, *arguments):
        pass

    def handle_request(self):
        prefix = proxied_prefix(self.headers) or re.match(r"(/i/[^/]+)?", self.path)[0]
        with self.lock:
            instance = self.instances.setdefault(prefix, Instance())
            request = Request(instance, prefix, self)
            if request.path.startswith("/_/"):
                return self.answer(control(instance, request))
            target = request.path + ("?" + request.query_text if request.query_text else "")
            instance.requests.append({"method": self.command, "path": target})
            instance.bodies.append(request.raw.decode("utf-8", "replace"))
            fault = instance.due(request)
            kind = fault and fault.get("kind", "answer")
            if kind == "answer":
                return self.answer(Answer(fault["status"], fault.get("body", "").encode()), fault.get("headers", {}))
            if kind != "drop":
                answer = process(request)
            if kind:
                self.close_connection = True
                return None
        return self.answer(answer)

    def answer(self, answer, headers=None):
        body = answer.body
        if body is None:
            body = b""
        elif not isinstance(body, bytes):
            body = json.dumps(body).encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers, **(headers or {})}.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if answer.status != 204:
            self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request


def control(instance, request):
    if request.path == "/_/fault":
        instance.faults.append(request.json)
        return Answer(200, {})
    if request.path == "/_/recover":
        instance.faults.clear()
        return Answer(200, {})
    if request.path == "/_/bodies":
        bodies, instance.bodies = instance.bodies, []
        return Answer(200, bodies)
    requests, instance.requests = instance.requests, []
    return Answer(200, requests)


def process(request):
    refused = refusal(request)
    if refused:
        return refused
    path = github_path(request)
    for method, pattern, handler in ROUTES:
        match = pattern.fullmatch(path)
        if method != request.method or not match:
            continue
        try:
            handler(request, *[group and urllib.parse.unquote(group) for group in match.groups()])
        except Answer as answer:
            return answer
    return Answer(404, {"message": "no such route in the fake"})


loopback.serve(Handler, "{}")
