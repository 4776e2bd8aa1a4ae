// The descriptions of KeyplanRemote/Services/, embedded unchanged, and those of
// KeyplanRemote/Providers/ and KeyplanRemote/Issuers/. To add one, add its bytes and a line in the table.
#include "CServices.h"

// Clang supports `#embed` in every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char azure[] = {
#embed "../KeyplanRemote/Services/azure.yaml"
};
static const unsigned char circleci[] = {
#embed "../KeyplanRemote/Services/circleci.yaml"
};
static const unsigned char cloudflare[] = {
#embed "../KeyplanRemote/Services/cloudflare.yaml"
};
static const unsigned char consul[] = {
#embed "../KeyplanRemote/Services/consul.yaml"
};
static const unsigned char doppler[] = {
#embed "../KeyplanRemote/Services/doppler.yaml"
};
static const unsigned char fly[] = {
#embed "../KeyplanRemote/Services/fly.yaml"
};
static const unsigned char gcp[] = {
#embed "../KeyplanRemote/Services/gcp.yaml"
};
static const unsigned char githubVariables[] = {
#embed "../KeyplanRemote/Services/github-variables.yaml"
};
static const unsigned char gitlab[] = {
#embed "../KeyplanRemote/Services/gitlab.yaml"
};
static const unsigned char heroku[] = {
#embed "../KeyplanRemote/Services/heroku.yaml"
};
static const unsigned char infisical[] = {
#embed "../KeyplanRemote/Services/infisical.yaml"
};
static const unsigned char netlify[] = {
#embed "../KeyplanRemote/Services/netlify.yaml"
};
static const unsigned char onepassword[] = {
#embed "../KeyplanRemote/Services/onepassword.yaml"
};
static const unsigned char railway[] = {
#embed "../KeyplanRemote/Services/railway.yaml"
};
static const unsigned char render[] = {
#embed "../KeyplanRemote/Services/render.yaml"
};
static const unsigned char vercel[] = {
#embed "../KeyplanRemote/Services/vercel.yaml"
};

#define SERVICE(name, bytes) {name, bytes, sizeof bytes}

static const struct keyplan_service services[] = {
  SERVICE("azure", azure),
  SERVICE("circleci", circleci),
  SERVICE("cloudflare", cloudflare),
  SERVICE("consul", consul),
  SERVICE("doppler", doppler),
  SERVICE("fly", fly),
  SERVICE("gcp", gcp),
  SERVICE("github-variables", githubVariables),
  SERVICE("gitlab", gitlab),
  SERVICE("heroku", heroku),
  SERVICE("infisical", infisical),
  SERVICE("netlify", netlify),
  SERVICE("onepassword", onepassword),
  SERVICE("railway", railway),
  SERVICE("render", render),
  SERVICE("vercel", vercel),
};

const struct keyplan_service *keyplan_service(size_t index) {
  return index < sizeof services / sizeof *services ? &services[index] : NULL;
}

static const unsigned char accuweatherProvider[] = {
#embed "../KeyplanRemote/Providers/accuweather.yaml"
};
static const unsigned char alphavantageProvider[] = {
#embed "../KeyplanRemote/Providers/alphavantage.yaml"
};
static const unsigned char anthropicProvider[] = {
#embed "../KeyplanRemote/Providers/anthropic.yaml"
};
static const unsigned char azureOpenaiProvider[] = {
#embed "../KeyplanRemote/Providers/azure-openai.yaml"
};
static const unsigned char cohereProvider[] = {
#embed "../KeyplanRemote/Providers/cohere.yaml"
};
static const unsigned char dashscopeProvider[] = {
#embed "../KeyplanRemote/Providers/dashscope.yaml"
};
static const unsigned char deepgramProvider[] = {
#embed "../KeyplanRemote/Providers/deepgram.yaml"
};
static const unsigned char deepseekProvider[] = {
#embed "../KeyplanRemote/Providers/deepseek.yaml"
};
static const unsigned char elevenlabsProvider[] = {
#embed "../KeyplanRemote/Providers/elevenlabs.yaml"
};
static const unsigned char finnhubProvider[] = {
#embed "../KeyplanRemote/Providers/finnhub.yaml"
};
static const unsigned char geminiProvider[] = {
#embed "../KeyplanRemote/Providers/gemini.yaml"
};
static const unsigned char githubProvider[] = {
#embed "../KeyplanRemote/Providers/github.yaml"
};
static const unsigned char groqProvider[] = {
#embed "../KeyplanRemote/Providers/groq.yaml"
};
static const unsigned char huggingfaceProvider[] = {
#embed "../KeyplanRemote/Providers/huggingface.yaml"
};
static const unsigned char mistralProvider[] = {
#embed "../KeyplanRemote/Providers/mistral.yaml"
};
static const unsigned char newsapiProvider[] = {
#embed "../KeyplanRemote/Providers/newsapi.yaml"
};
static const unsigned char openaiProvider[] = {
#embed "../KeyplanRemote/Providers/openai.yaml"
};
static const unsigned char openrouterProvider[] = {
#embed "../KeyplanRemote/Providers/openrouter.yaml"
};
static const unsigned char openweathermapProvider[] = {
#embed "../KeyplanRemote/Providers/openweathermap.yaml"
};
static const unsigned char perplexityProvider[] = {
#embed "../KeyplanRemote/Providers/perplexity.yaml"
};
static const unsigned char polygonProvider[] = {
#embed "../KeyplanRemote/Providers/polygon.yaml"
};
static const unsigned char replicateProvider[] = {
#embed "../KeyplanRemote/Providers/replicate.yaml"
};
static const unsigned char stripeProvider[] = {
#embed "../KeyplanRemote/Providers/stripe.yaml"
};
static const unsigned char togetherProvider[] = {
#embed "../KeyplanRemote/Providers/together.yaml"
};
static const unsigned char tomorrowProvider[] = {
#embed "../KeyplanRemote/Providers/tomorrow.yaml"
};
static const unsigned char xaiProvider[] = {
#embed "../KeyplanRemote/Providers/xai.yaml"
};

static const struct keyplan_service providers[] = {
  SERVICE("accuweather", accuweatherProvider),
  SERVICE("alphavantage", alphavantageProvider),
  SERVICE("anthropic", anthropicProvider),
  SERVICE("azure-openai", azureOpenaiProvider),
  SERVICE("cohere", cohereProvider),
  SERVICE("dashscope", dashscopeProvider),
  SERVICE("deepgram", deepgramProvider),
  SERVICE("deepseek", deepseekProvider),
  SERVICE("elevenlabs", elevenlabsProvider),
  SERVICE("finnhub", finnhubProvider),
  SERVICE("gemini", geminiProvider),
  SERVICE("github", githubProvider),
  SERVICE("google", geminiProvider),
  SERVICE("groq", groqProvider),
  SERVICE("huggingface", huggingfaceProvider),
  SERVICE("mistral", mistralProvider),
  SERVICE("newsapi", newsapiProvider),
  SERVICE("openai", openaiProvider),
  SERVICE("openrouter", openrouterProvider),
  SERVICE("openweathermap", openweathermapProvider),
  SERVICE("perplexity", perplexityProvider),
  SERVICE("polygon", polygonProvider),
  SERVICE("qwen", dashscopeProvider),
  SERVICE("replicate", replicateProvider),
  SERVICE("stripe", stripeProvider),
  SERVICE("together", togetherProvider),
  SERVICE("tomorrow", tomorrowProvider),
  SERVICE("xai", xaiProvider),
};

const struct keyplan_service *keyplan_provider(size_t index) {
  return index < sizeof providers / sizeof *providers ? &providers[index] : NULL;
}

static const unsigned char anthropicIssuer[] = {
#embed "../KeyplanRemote/Issuers/anthropic.yaml"
};
static const unsigned char azureApplicationIssuer[] = {
#embed "../KeyplanRemote/Issuers/azure-application.yaml"
};
static const unsigned char cloudflareIssuer[] = {
#embed "../KeyplanRemote/Issuers/cloudflare.yaml"
};
static const unsigned char datadogIssuer[] = {
#embed "../KeyplanRemote/Issuers/datadog.yaml"
};
static const unsigned char digitaloceanSpacesIssuer[] = {
#embed "../KeyplanRemote/Issuers/digitalocean-spaces.yaml"
};
static const unsigned char dopplerIssuer[] = {
#embed "../KeyplanRemote/Issuers/doppler.yaml"
};
static const unsigned char gcpServiceAccountIssuer[] = {
#embed "../KeyplanRemote/Issuers/gcp-service-account.yaml"
};
static const unsigned char githubIssuer[] = {
#embed "../KeyplanRemote/Issuers/github.yaml"
};
static const unsigned char mailgunIssuer[] = {
#embed "../KeyplanRemote/Issuers/mailgun.yaml"
};
static const unsigned char openaiIssuer[] = {
#embed "../KeyplanRemote/Issuers/openai.yaml"
};
static const unsigned char openrouterIssuer[] = {
#embed "../KeyplanRemote/Issuers/openrouter.yaml"
};
static const unsigned char sendgridIssuer[] = {
#embed "../KeyplanRemote/Issuers/sendgrid.yaml"
};
static const unsigned char stripeIssuer[] = {
#embed "../KeyplanRemote/Issuers/stripe.yaml"
};
static const unsigned char twilioIssuer[] = {
#embed "../KeyplanRemote/Issuers/twilio.yaml"
};

static const struct keyplan_service issuers[] = {
  SERVICE("anthropic", anthropicIssuer),
  SERVICE("azure-application", azureApplicationIssuer),
  SERVICE("cloudflare", cloudflareIssuer),
  SERVICE("datadog", datadogIssuer),
  SERVICE("digitalocean-spaces", digitaloceanSpacesIssuer),
  SERVICE("doppler", dopplerIssuer),
  SERVICE("gcp-service-account", gcpServiceAccountIssuer),
  SERVICE("github", githubIssuer),
  SERVICE("mailgun", mailgunIssuer),
  SERVICE("openai", openaiIssuer),
  SERVICE("openrouter", openrouterIssuer),
  SERVICE("sendgrid", sendgridIssuer),
  SERVICE("stripe", stripeIssuer),
  SERVICE("twilio", twilioIssuer),
};

const struct keyplan_service *keyplan_issuer(size_t index) {
  return index < sizeof issuers / sizeof *issuers ? &issuers[index] : NULL;
}
