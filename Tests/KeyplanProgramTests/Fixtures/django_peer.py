"""django-oauth-toolkit as a server on a loopback port, for account_peer.py, which says in PEER how it is to behave."""

import json
import os

import django
from django.conf import settings

PEER = json.loads(os.environ["PEER"])

settings.configure(
    SECRET_KEY="of the test", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True, LOGIN_URL="/login/",
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    # Parallel requests find the database locked otherwise, and get a 500.
    DATABASES={"default": {
        "ENGINE": "django.db.backends.sqlite3", "NAME": PEER["folder"] + "/django.db",
        "OPTIONS": {"timeout": 60, "transaction_mode": "IMMEDIATE"}}},
    INSTALLED_APPS=["django.contrib." + name for name in ("auth", "contenttypes", "sessions", "messages")]
    + ["oauth2_provider"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware"],
    OAUTH2_PROVIDER={
        "SCOPES": {scope: scope for scope in PEER["scopes"]}, "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
        "ROTATE_REFRESH_TOKEN": PEER["rotate"], "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": PEER["grace"],
        "REFRESH_TOKEN_REUSE_PROTECTION": True, "ALLOWED_REDIRECT_URI_SCHEMES": ["http"], "PKCE_REQUIRED": True,
        "REQUEST_APPROVAL_PROMPT": "auto", "ALLOW_LOCALHOST_LOOPBACK": True})
django.setup()

from django.contrib.auth import authenticate, get_user_model, login  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import AccessToken, Application, RefreshToken  # noqa: E402
from waitress import serve  # noqa: E402


def sign_in(request):
    person = authenticate(request, username=request.POST.get("username"), password=request.POST.get("password"))
    if person is None:
        return HttpResponse(status=401)
    login(request, person)
    return HttpResponse()


def end_all(request):
    for token in RefreshToken.objects.all():
        token.revoke()
    AccessToken.objects.all().delete()
    return HttpResponse()


def end_client(request):
    Application.objects.filter(client_id=PEER["client"]).delete()
    return HttpResponse()


def end_account(request):
    get_user_model().objects.all().delete()
    return HttpResponse()


def restore(request=None):
    Application.objects.create(
        client_id=PEER["client"], client_secret=PEER["secret"], client_type="confidential",
        authorization_grant_type="authorization-code", name="keyplan", skip_authorization=True,
        # RFC 8252: any port of this machine will do.
        redirect_uris="http://127.0.0.1/ http://localhost/")
    return HttpResponse()


urlpatterns = [
    path("login/", sign_in), path("end-all/", end_all), path("end-client/", end_client),
    path("end-account/", end_account), path("restore/", restore),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider"))]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    get_user_model().objects.create_user(PEER["person"], password=PEER["password"])
    restore()
    # A client that has a token in its own name.
    Application.objects.create(
        client_id=PEER["robot"], client_secret=PEER["secret"], client_type="confidential",
        authorization_grant_type="client-credentials", name="robot")
    serve(get_wsgi_application(), host="127.0.0.1", port=PEER["port"], threads=8)
