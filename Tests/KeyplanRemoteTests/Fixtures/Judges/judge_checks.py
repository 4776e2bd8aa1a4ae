"""Judges the fake of providers (checks.py): each vendor's own client reads every answer, as it would read the provider's.

    judge_checks.py ADDRESS PROVIDER

A request that the fake does not know gets the status 418, so that a client with another path, query or header fails here. The
client has to report the status of each answer, to accept a valid one by the vendor's own types and find something in it, and to
read the same in an error as the answer has. Writes the number of answers.
"""
import dataclasses
import json
import pathlib
import sys
from collections.abc import Callable

TABLE = json.loads(pathlib.Path(__file__).parent.with_name("checks.json").read_text())


@dataclasses.dataclass
class Client:
    """A vendor's client for one address."""

    # Sends the request; returns what is found in a valid answer.
    ask: Callable
    # What the client raises for an answer with an error, and the status in it.
    error: type
    status: Callable
    # What the client reads in an error: values by their JSON Pointers in the answer.
    read: Callable


def at(pointer, body):
    """The value at a JSON Pointer; None if there is none."""
    for name in pointer.split("/")[1:]:
        if not isinstance(body, dict):
            return None
        body = body.get(name)
    return body


def checked(model):
    """A model that its client read without looking: by the vendor's types, all that is required is there."""
    kind = type(model)
    return kind.model_validate(json.loads(kind.model_dump_json(model, by_alias=True, exclude_unset=True, warnings=False)))


def like_openai(client, ask):
    return Client(ask, client.APIStatusError, lambda error: error.status_code,
                  lambda error: {"/error": error.body, "/error/code": error.code, "/error/type": error.type})


def whole(error):
    """The answer as it is, if the client keeps it."""
    return {"": error.body}


def openai(key, address):
    import openai as client
    api = client.OpenAI(api_key=key, base_url=f"{address}/v1", max_retries=0)
    return like_openai(client, lambda: [checked(model).id for model in api.models.list()])


def azure_openai(key, address):
    import openai as client
    api = client.AzureOpenAI(api_key=key, azure_endpoint=address, api_version="2024-10-21", max_retries=0)
    # The models of Azure have no owner, which the client's type requires.
    return like_openai(client, lambda: [model.id for model in api.models.list()])


def anthropic(key, address):
    import anthropic as client
    api = client.Anthropic(api_key=key, base_url=address, max_retries=0)
    return Client(lambda: [checked(model).id for model in api.models.list(limit=1).data], client.APIStatusError,
                  lambda error: error.status_code, lambda error: {"": error.body, "/error/type": error.type})


def groq(key, address):
    import groq as client
    api = client.Groq(api_key=key, base_url=address, max_retries=0)
    return Client(lambda: [checked(model).id for model in api.models.list().data], client.APIStatusError,
                  lambda error: error.status_code, whole)


def mistral(key, address):
    from mistralai.client import Mistral, errors
    api = Mistral(api_key=key, server_url=address)
    return Client(lambda: [model.id for model in api.models.list().data], errors.MistralError,
                  lambda error: error.status_code, lambda error: {"": json.loads(error.body)})


def stripe(key, address):
    import stripe as client
    api = client.StripeClient(key, base_addresses={"api": address}, max_network_retries=0)
    return Client(lambda: [api.v1.accounts.retrieve_current().id], client.StripeError, lambda error: error.http_status,
                  lambda error: {"": error.json_body, "/error/code": error.error.code, "/error/message": error.user_message,
                                 "/error/type": error.error.type})


def gemini(key, address):
    from google import genai
    from google.genai import errors
    api = genai.Client(api_key=key, http_options={"base_url": address, "api_version": "v1beta"})
    return Client(lambda: [model.name for model in api.models.list(config={"page_size": 1}).page], errors.APIError,
                  lambda error: error.code,
                  lambda error: {"": error.details, "/error/message": error.message, "/error/status": error.status})


google = gemini


def cohere(key, address):
    import cohere as client
    from cohere.core.api_error import ApiError
    api = client.ClientV2(api_key=key, base_url=address, max_retries=0)
    return Client(lambda: [checked(model).name for model in api.models.list(page_size=1).models], ApiError,
                  lambda error: error.status_code, whole)


def dashscope(key, address):
    from dashscope import Client as API
    from dashscope.v2 import errors
    api = API(api_key=key, base_url=f"{address}/api/v1", max_retries=0)
    return Client(lambda: [checked(model).model for model in api.models.list(page_size=1).models], errors.APIStatusError,
                  lambda error: error.status_code,
                  lambda error: {"": error.body, "/code": error.code, "/message": error.message,
                                 "/request_id": error.request_id})


qwen = dashscope


def deepgram(key, address):
    from deepgram import DeepgramClient
    from deepgram.core.api_error import ApiError
    from deepgram.environment import DeepgramClientEnvironment
    api = DeepgramClient(api_key=key, environment=DeepgramClientEnvironment(
        base=address, production=address, agent=address, agent_rest=address))
    once = {"max_retries": 0}
    return Client(lambda: [project.project_id for project in checked(api.manage.v1.projects.list(request_options=once)).projects],
                  ApiError, lambda error: error.status_code, whole)


def elevenlabs(key, address):
    from elevenlabs.client import ElevenLabs
    from elevenlabs.core.api_error import ApiError
    api = ElevenLabs(api_key=key, base_url=address)
    return Client(lambda: checked(api.user.get(request_options={"max_retries": 0})).subscription.tier, ApiError,
                  lambda error: error.status_code, whole)


def github(key, address):
    import httpx
    from githubkit import GitHub
    from githubkit.auth import BaseAuthStrategy
    from githubkit.exception import RequestFailed

    class Bearer(httpx.Auth, BaseAuthStrategy):
        """GitHub takes the schemes Bearer and token; this client has the latter only."""

        def get_auth_flow(self, _):
            return self

        def auth_flow(self, request):
            request.headers["authorization"] = f"Bearer {key}"
            yield request
    api = GitHub(Bearer(), base_url=address, auto_retry=False)
    return Client(lambda: api.rest.users.get_authenticated().parsed_data.login, RequestFailed,
                  lambda error: error.response.status_code, lambda error: {"": error.response.json()})


def huggingface(key, address):
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError
    api = HfApi(endpoint=address, token=key)

    def ask():
        found = api.whoami()
        return found["name"] and found["auth"]["accessToken"]["role"]
    # The client raises an error of its own words, from one that has the server's.
    return Client(ask, HfHubHTTPError, lambda error: error.response.status_code,
                  lambda error: {"": error.response.json(), "/error": error.__cause__.server_message})


def openrouter(key, address):
    from openrouter import OpenRouter, errors
    api = OpenRouter(api_key=key, server_url=f"{address}/api/v1", retry_config=None)

    def read(error):
        if isinstance(error, errors.ResponseValidationError):
            raise error
        typed = getattr(error, "data", None)
        seen = {"/error/code": typed.error.code, "/error/message": typed.error.message} if typed else {}
        return {"": json.loads(error.body), **seen}
    return Client(lambda: api.api_keys.get_current_key_metadata(retries=None).data.label, errors.OpenRouterError,
                  lambda error: error.status_code, read)


def perplexity(key, address):
    import perplexity as client
    api = client.Perplexity(api_key=key, base_url=address, max_retries=0)
    wanted = TABLE["perplexity"]["request"]["json"]
    return Client(lambda: api.chat.completions.create(**wanted).id, client.APIStatusError, lambda error: error.status_code,
                  whole)


def polygon(key, address):
    import massive as client
    from massive.exceptions import BadResponse
    # Without its own repetitions; the status is in the pool's answer only.
    api = client.RESTClient(api_key=key, base=address, retries=0, connection_pool_kw={"retries": False}, pagination=False)
    sent, seen = api.client.request, []

    def request(*arguments, **options):
        seen.append(sent(*arguments, **options))
        return seen[-1]
    api.client.request = request
    # Without the order that is the client's default.
    return Client(lambda: [ticker.ticker for ticker in api.list_tickers(limit=1, sort=None, order=None)], BadResponse,
                  lambda error: seen[-1].status, lambda error: {"": json.loads(str(error))})


def replicate(key, address):
    import replicate as client
    from replicate.exceptions import ReplicateError
    api = client.Client(api_token=key, base_url=address)
    api._client._transport.max_attempts = 1
    return Client(lambda: api.accounts.current().username, ReplicateError, lambda error: error.status,
                  lambda error: {"/title": error.title, "/detail": error.detail, "/status": error.status})


def together(key, address):
    import together as client
    api = client.Together(api_key=key, base_url=address, max_retries=0)
    return Client(lambda: checked(api.whoami()).api_key.id, client.APIStatusError, lambda error: error.status_code, whole)


def main():
    root, provider = sys.argv[1:]
    entry = TABLE[provider]
    read = 0
    for number, answer in enumerate(entry["answers"]):
        if "text" in answer:
            continue  # A page of something else than the provider.
        client = globals()[provider.replace("-", "_")](entry["request"]["key"], f"{root}/{provider}/{number}")
        place, found = f"{provider}: answer {number}", None
        try:
            found, got = client.ask(), 200
        except client.error as error:
            got = client.status(error)
            for pointer, value in client.read(error).items() if got == answer["status"] != 200 else ():
                if value != at(pointer, answer["body"]):
                    sys.exit(f"{place}: the client reads {value!r} at {pointer!r}, not {at(pointer, answer['body'])!r}")
        if got != answer["status"]:
            sys.exit(f"{place}: the client reads {got}, not {answer['status']}")
        if got == 200 and not (all(found) and found if isinstance(found, list) else found):
            sys.exit(f"{place}: the client finds nothing in it")
        read += 1
    print(read)


main()
