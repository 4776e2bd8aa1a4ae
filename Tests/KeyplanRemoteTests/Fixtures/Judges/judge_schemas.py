"""Judges a request by the schemas of GitHub's REST API, as githubkit-schemas has them.

    judge_schemas.py METHOD PATH BODY

Writes the name of the schema that the body fits. A member that the schema does not have is a difference, too.
"""
import json
import re
import sys

from githubkit_schemas.latest import models

PLACES = [
    (r"/repos/[^/]+/[^/]+/environments/[^/]+/variables", "ReposOwnerRepoEnvironmentsEnvironmentNameVariables"),
    (r"/repos/[^/]+/[^/]+/actions/variables", "ReposOwnerRepoActionsVariables"),
    (r"/orgs/[^/]+/actions/variables", "OrgsOrgActionsVariables"),
]


def main():
    method, path, body = sys.argv[1:]
    for pattern, name in PLACES:
        match = re.fullmatch(pattern + "(/[^/]+)?", path)
        if not match:
            continue
        model = getattr(models, name + ("Name" if match[1] else "") + f"{method.capitalize()}Body")
        sent = json.loads(body)
        model.model_validate(sent, strict=True)
        unknown = sent.keys() - {field.alias or name for name, field in model.model_fields.items()}
        if unknown:
            sys.exit(f"{model.__name__} has no {sorted(unknown)}")
        print(model.__name__)
        return
    sys.exit(f"no schema for {path}")


main()
