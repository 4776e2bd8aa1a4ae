"""Judges the fake of providers (checks.py): each vendor's own client reads every answer, as it would read the provider's.

    judge_checks.py ADDRESS PROVIDER

A request that the fake does not know gets the status 418, so that a client with another path or another header fails here. The
client has to report the status of the answer, and its code or type where the vendor's client has it. Writes the number of answers.
"""
import json
import pathlib
import sys

TABLE = json.loads(pathlib.Path(__file__).parent.with_name("checks.json").read_text())


def openai(key, address):
    import openai as client
    api = client.OpenAI(api_key=key, base_url=f"{address}/v1", max_retries=0)
    return lambda: [model.id for model in api.models.list()], client.APIStatusError, lambda error: error.status_code


def anthropic(key, address):
    import anthropic as client
    api = client.Anthropic(api_key=key, base_url=address, max_retries=0)
    return (lambda: [model.id for model in api.models.list(limit=1).data], client.APIStatusError,
            lambda error: error.status_code)


def groq(key, address):
    import groq as client
    api = client.Groq(api_key=key, base_url=address, max_retries=0)
    return lambda: [model.id for model in api.models.list().data], client.APIStatusError, lambda error: error.status_code


def mistral(key, address):
    from mistralai.client import Mistral, errors
    api = Mistral(api_key=key, server_url=address)
    return (lambda: [model.id for model in api.models.list().data], errors.MistralError,
            lambda error: error.status_code)


def stripe(key, address):
    import stripe as client
    api = client.StripeClient(key, base_addresses={"api": address}, max_network_retries=0)
    return lambda: [api.v1.accounts.retrieve_current().id], client.StripeError, lambda error: error.http_status


def gemini(key, address):
    from google import genai
    from google.genai import errors
    api = genai.Client(api_key=key, http_options={"base_url": address, "api_version": "v1beta"})
    return (lambda: [model.name for model in api.models.list(config={"page_size": 1}).page], errors.APIError,
            lambda error: error.code)


def main():
    root, provider = sys.argv[1:]
    entry = TABLE[provider]
    read = 0
    for number, answer in enumerate(entry["answers"]):
        if "text" in answer:
            continue  # A page of something else than the provider.
        ask, error_type, status = globals()[provider](entry["request"]["key"], f"{root}/{provider}/{number}")
        try:
            found, got = ask(), 200
        except error_type as error:
            found, got = None, status(error)
        if got != answer["status"]:
            sys.exit(f"{provider}: answer {number}: the client reads {got}, not {answer['status']}")
        if answer["outcome"] == "valid" and not found:
            sys.exit(f"{provider}: answer {number}: the client finds nothing in it")
        read += 1
    print(read)


main()
