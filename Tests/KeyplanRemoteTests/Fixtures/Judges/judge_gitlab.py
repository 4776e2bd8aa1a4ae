"""python-gitlab, with the variables of the project "acme/app" in the scope "prod"."""
import gitlab


def is_raised(call, status):
    try:
        call()
    except gitlab.exceptions.GitlabError as error:
        return error.response_code == status
    return False


class Client:
    shows_values = True
    scope = "prod"

    def __init__(self, address, token="good", project="acme/app"):
        self.address = address
        self.gitlab = gitlab.Gitlab(address, private_token=token)
        self.variables = self.gitlab.projects.get(project, lazy=True).variables
        self.filter = {"environment_scope": self.scope}

    def list(self):
        return {entry.key: entry.value for entry in self.variables.list(get_all=True)
                if entry.environment_scope == self.scope}

    def read(self, name):
        try:
            return self.variables.get(name, filter=self.filter).value
        except gitlab.exceptions.GitlabGetError as error:
            if error.response_code == 404:
                raise KeyError(name) from error
            raise

    def set(self, name, value, exists):
        if exists:
            self.variables.update(name, {"value": value, "filter": self.filter})
        else:
            self.variables.create({"key": name, "value": value, "environment_scope": self.scope, "raw": True})

    def remove(self, name):
        self.variables.delete(name, filter=self.filter)

    def hide(self, name):
        self.variables.create({
            "key": name, "value": "hidden-value", "environment_scope": self.scope, "masked_and_hidden": True})

    def fails(self):
        yield "a wrong token", is_raised(Client(self.address, token="bad").list, 401)
        yield "an unknown project", is_raised(Client(self.address, project="nope").list, 404)
        body = {"key": "TWICE", "value": "v", "environment_scope": "other"}
        self.variables.create(body)
        yield "a name that is taken", is_raised(lambda: self.variables.create(body), 400)
        self.variables.create({**body, "environment_scope": "another"})
        yield "two of one name", is_raised(lambda: self.variables.get("TWICE"), 409)
        for scope in ("other", "another"):
            self.variables.delete("TWICE", filter={"environment_scope": scope})
        masked = {**body, "key": "MASKED", "masked": True}
        yield "a value that cannot be masked", is_raised(lambda: self.variables.create(masked), 400)
