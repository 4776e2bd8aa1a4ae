// Written by scripts/descriptions.py from the folders Services/ and Providers/ of KeyplanServices.
#include "CServices.h"

// Clang supports `#embed` in every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char service_azure[] = {
#embed "../KeyplanServices/Services/azure.yaml"
};

static const unsigned char service_circleci[] = {
#embed "../KeyplanServices/Services/circleci.yaml"
};

static const unsigned char service_cloudflare[] = {
#embed "../KeyplanServices/Services/cloudflare.yaml"
};

static const unsigned char service_consul[] = {
#embed "../KeyplanServices/Services/consul.yaml"
};

static const unsigned char service_doppler[] = {
#embed "../KeyplanServices/Services/doppler.yaml"
};

static const unsigned char service_fly[] = {
#embed "../KeyplanServices/Services/fly.yaml"
};

static const unsigned char service_gcp[] = {
#embed "../KeyplanServices/Services/gcp.yaml"
};

static const unsigned char service_github_variables[] = {
#embed "../KeyplanServices/Services/github-variables.yaml"
};

static const unsigned char service_gitlab[] = {
#embed "../KeyplanServices/Services/gitlab.yaml"
};

static const unsigned char service_heroku[] = {
#embed "../KeyplanServices/Services/heroku.yaml"
};

static const unsigned char service_infisical[] = {
#embed "../KeyplanServices/Services/infisical.yaml"
};

static const unsigned char service_netlify[] = {
#embed "../KeyplanServices/Services/netlify.yaml"
};

static const unsigned char service_onepassword[] = {
#embed "../KeyplanServices/Services/onepassword.yaml"
};

static const unsigned char service_railway[] = {
#embed "../KeyplanServices/Services/railway.yaml"
};

static const unsigned char service_render[] = {
#embed "../KeyplanServices/Services/render.yaml"
};

static const unsigned char service_vercel[] = {
#embed "../KeyplanServices/Services/vercel.yaml"
};

static const struct keyplan_service services[] = {
  {"azure", service_azure, sizeof service_azure},
  {"circleci", service_circleci, sizeof service_circleci},
  {"cloudflare", service_cloudflare, sizeof service_cloudflare},
  {"consul", service_consul, sizeof service_consul},
  {"doppler", service_doppler, sizeof service_doppler},
  {"fly", service_fly, sizeof service_fly},
  {"gcp", service_gcp, sizeof service_gcp},
  {"github-variables", service_github_variables, sizeof service_github_variables},
  {"gitlab", service_gitlab, sizeof service_gitlab},
  {"heroku", service_heroku, sizeof service_heroku},
  {"infisical", service_infisical, sizeof service_infisical},
  {"netlify", service_netlify, sizeof service_netlify},
  {"onepassword", service_onepassword, sizeof service_onepassword},
  {"railway", service_railway, sizeof service_railway},
  {"render", service_render, sizeof service_render},
  {"vercel", service_vercel, sizeof service_vercel},
};

static const unsigned char provider_accuweather[] = {
#embed "../KeyplanServices/Providers/accuweather.yaml"
};

static const unsigned char provider_alphavantage[] = {
#embed "../KeyplanServices/Providers/alphavantage.yaml"
};

static const unsigned char provider_anthropic[] = {
#embed "../KeyplanServices/Providers/anthropic.yaml"
};

static const unsigned char provider_azure_application[] = {
#embed "../KeyplanServices/Providers/azure-application.yaml"
};

static const unsigned char provider_azure_openai[] = {
#embed "../KeyplanServices/Providers/azure-openai.yaml"
};

static const unsigned char provider_cloudflare[] = {
#embed "../KeyplanServices/Providers/cloudflare.yaml"
};

static const unsigned char provider_cohere[] = {
#embed "../KeyplanServices/Providers/cohere.yaml"
};

static const unsigned char provider_dashscope[] = {
#embed "../KeyplanServices/Providers/dashscope.yaml"
};

static const unsigned char provider_datadog[] = {
#embed "../KeyplanServices/Providers/datadog.yaml"
};

static const unsigned char provider_deepgram[] = {
#embed "../KeyplanServices/Providers/deepgram.yaml"
};

static const unsigned char provider_deepseek[] = {
#embed "../KeyplanServices/Providers/deepseek.yaml"
};

static const unsigned char provider_digitalocean_spaces[] = {
#embed "../KeyplanServices/Providers/digitalocean-spaces.yaml"
};

static const unsigned char provider_doppler[] = {
#embed "../KeyplanServices/Providers/doppler.yaml"
};

static const unsigned char provider_elevenlabs[] = {
#embed "../KeyplanServices/Providers/elevenlabs.yaml"
};

static const unsigned char provider_finnhub[] = {
#embed "../KeyplanServices/Providers/finnhub.yaml"
};

static const unsigned char provider_gcp_service_account[] = {
#embed "../KeyplanServices/Providers/gcp-service-account.yaml"
};

static const unsigned char provider_gemini[] = {
#embed "../KeyplanServices/Providers/gemini.yaml"
};

static const unsigned char provider_github[] = {
#embed "../KeyplanServices/Providers/github.yaml"
};

static const unsigned char provider_google[] = {
#embed "../KeyplanServices/Providers/google.yaml"
};

static const unsigned char provider_groq[] = {
#embed "../KeyplanServices/Providers/groq.yaml"
};

static const unsigned char provider_huggingface[] = {
#embed "../KeyplanServices/Providers/huggingface.yaml"
};

static const unsigned char provider_mailgun[] = {
#embed "../KeyplanServices/Providers/mailgun.yaml"
};

static const unsigned char provider_mistral[] = {
#embed "../KeyplanServices/Providers/mistral.yaml"
};

static const unsigned char provider_newsapi[] = {
#embed "../KeyplanServices/Providers/newsapi.yaml"
};

static const unsigned char provider_openai[] = {
#embed "../KeyplanServices/Providers/openai.yaml"
};

static const unsigned char provider_openrouter[] = {
#embed "../KeyplanServices/Providers/openrouter.yaml"
};

static const unsigned char provider_openweathermap[] = {
#embed "../KeyplanServices/Providers/openweathermap.yaml"
};

static const unsigned char provider_perplexity[] = {
#embed "../KeyplanServices/Providers/perplexity.yaml"
};

static const unsigned char provider_polygon[] = {
#embed "../KeyplanServices/Providers/polygon.yaml"
};

static const unsigned char provider_qwen[] = {
#embed "../KeyplanServices/Providers/qwen.yaml"
};

static const unsigned char provider_rapidapi[] = {
#embed "../KeyplanServices/Providers/rapidapi.yaml"
};

static const unsigned char provider_replicate[] = {
#embed "../KeyplanServices/Providers/replicate.yaml"
};

static const unsigned char provider_sendgrid[] = {
#embed "../KeyplanServices/Providers/sendgrid.yaml"
};

static const unsigned char provider_stripe[] = {
#embed "../KeyplanServices/Providers/stripe.yaml"
};

static const unsigned char provider_together[] = {
#embed "../KeyplanServices/Providers/together.yaml"
};

static const unsigned char provider_tomorrow[] = {
#embed "../KeyplanServices/Providers/tomorrow.yaml"
};

static const unsigned char provider_twilio[] = {
#embed "../KeyplanServices/Providers/twilio.yaml"
};

static const unsigned char provider_xai[] = {
#embed "../KeyplanServices/Providers/xai.yaml"
};

static const struct keyplan_provider providers[] = {
  {.description = {"accuweather", provider_accuweather, sizeof provider_accuweather}, .variable = "ACCUWEATHER_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"alphavantage", provider_alphavantage, sizeof provider_alphavantage}, .variable = "ALPHAVANTAGE_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"anthropic", provider_anthropic, sizeof provider_anthropic}, .variable = "ANTHROPIC_API_KEY",
   .format = "sk-ant-(?:api|admin|oat)\\d{2}-[\\w-]{80,120}",
   .other_variables = NULL, .prefixes = "sk-ant- 16",
   .has_check = 1, .has_keys = 1},
  {.description = {"azure-application", provider_azure_application, sizeof provider_azure_application}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"azure-openai", provider_azure_openai, sizeof provider_azure_openai}, .variable = "AZURE_OPENAI_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"cloudflare", provider_cloudflare, sizeof provider_cloudflare}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"cohere", provider_cohere, sizeof provider_cohere}, .variable = "CO_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"dashscope", provider_dashscope, sizeof provider_dashscope}, .variable = "DASHSCOPE_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = "sk-sp- 20",
   .has_check = 1, .has_keys = 0},
  {.description = {"datadog", provider_datadog, sizeof provider_datadog}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"deepgram", provider_deepgram, sizeof provider_deepgram}, .variable = "DEEPGRAM_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"deepseek", provider_deepseek, sizeof provider_deepseek}, .variable = "DEEPSEEK_API_KEY",
   .format = "sk-[0-9a-f]{32}",
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"digitalocean-spaces", provider_digitalocean_spaces, sizeof provider_digitalocean_spaces}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"doppler", provider_doppler, sizeof provider_doppler}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"elevenlabs", provider_elevenlabs, sizeof provider_elevenlabs}, .variable = "ELEVENLABS_API_KEY",
   .format = "sk_[0-9a-f]{48}",
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"finnhub", provider_finnhub, sizeof provider_finnhub}, .variable = "FINNHUB_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"gcp-service-account", provider_gcp_service_account, sizeof provider_gcp_service_account}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"gemini", provider_gemini, sizeof provider_gemini}, .variable = "GEMINI_API_KEY",
   .format = "AQ\\.[\\w-]{40,100}",
   .other_variables = NULL, .prefixes = "AQ.Ab8RN6 20 AIza 30",
   .has_check = 1, .has_keys = 0},
  {.description = {"github", provider_github, sizeof provider_github}, .variable = "GITHUB_TOKEN",
   .format = "(?:gh[pour]_[0-9A-Za-z]{36,255}|ghs_[\\w.-]{36,1000}|github_pat_\\w{82})",
   .other_variables = NULL, .prefixes = "ghp_ 20 gho_ 20 ghu_ 20 ghs_ 20 ghr_ 20 github_pat_ 20",
   .has_check = 1, .has_keys = 1},
  {.description = {"google", provider_google, sizeof provider_google}, .variable = "GEMINI_API_KEY",
   .format = "(?:AQ\\.[\\w-]{40,100}|AIza[\\w-]{35})",
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"groq", provider_groq, sizeof provider_groq}, .variable = "GROQ_API_KEY",
   .format = "gsk_[A-Za-z0-9]{52}",
   .other_variables = NULL, .prefixes = "gsk_ 20",
   .has_check = 1, .has_keys = 0},
  {.description = {"huggingface", provider_huggingface, sizeof provider_huggingface}, .variable = "HF_TOKEN",
   .format = "(?:hf_|api_org_)[A-Za-z0-9]{34}",
   .other_variables = NULL, .prefixes = "hf_ 30 api_org_ 30",
   .has_check = 1, .has_keys = 0},
  {.description = {"mailgun", provider_mailgun, sizeof provider_mailgun}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"mistral", provider_mistral, sizeof provider_mistral}, .variable = "MISTRAL_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"newsapi", provider_newsapi, sizeof provider_newsapi}, .variable = "NEWSAPI_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"openai", provider_openai, sizeof provider_openai}, .variable = "OPENAI_API_KEY",
   .format = "sk-(?:[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[a-z]{4,8}-[\\w-]{20,74}T3BlbkFJ[\\w-]{20,74})",
   .other_variables = NULL, .prefixes = "sk-admin- 16 sk-proj- 16 sk-service- 16 sk-svcacct- 16",
   .has_check = 1, .has_keys = 1},
  {.description = {"openrouter", provider_openrouter, sizeof provider_openrouter}, .variable = "OPENROUTER_API_KEY",
   .format = "sk-or-v\\d-[0-9a-f]{64}",
   .other_variables = NULL, .prefixes = "sk-or-v1- 16",
   .has_check = 1, .has_keys = 1},
  {.description = {"openweathermap", provider_openweathermap, sizeof provider_openweathermap}, .variable = "OPENWEATHERMAP_API_KEY",
   .format = NULL,
   .other_variables = "OWM_API_KEY OWM_KEY OPENWEATHER_API_KEY", .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"perplexity", provider_perplexity, sizeof provider_perplexity}, .variable = "PERPLEXITY_API_KEY",
   .format = "pplx-[A-Za-z0-9]{48}",
   .other_variables = NULL, .prefixes = "pplx- 20",
   .has_check = 1, .has_keys = 0},
  {.description = {"polygon", provider_polygon, sizeof provider_polygon}, .variable = "POLYGON_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"qwen", provider_qwen, sizeof provider_qwen}, .variable = "DASHSCOPE_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"rapidapi", provider_rapidapi, sizeof provider_rapidapi}, .variable = "RAPIDAPI_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 0},
  {.description = {"replicate", provider_replicate, sizeof provider_replicate}, .variable = "REPLICATE_API_TOKEN",
   .format = "r8_[\\w-]{37}",
   .other_variables = NULL, .prefixes = "r8_ 30",
   .has_check = 1, .has_keys = 0},
  {.description = {"sendgrid", provider_sendgrid, sizeof provider_sendgrid}, .variable = "SENDGRID_API_KEY",
   .format = "SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}",
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"stripe", provider_stripe, sizeof provider_stripe}, .variable = "STRIPE_API_KEY",
   .format = "[sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,250}",
   .other_variables = "STRIPE_SECRET_KEY STRIPE_SECRET", .prefixes = "rk_live_ 10 rk_test_ 10 sk_live_ 10 sk_test_ 10",
   .has_check = 1, .has_keys = 1},
  {.description = {"together", provider_together, sizeof provider_together}, .variable = "TOGETHER_API_KEY",
   .format = "tgp_v1_[\\w-]{43}",
   .other_variables = NULL, .prefixes = "tgp_v1_ 20",
   .has_check = 1, .has_keys = 0},
  {.description = {"tomorrow", provider_tomorrow, sizeof provider_tomorrow}, .variable = "TOMORROW_API_KEY",
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 1, .has_keys = 0},
  {.description = {"twilio", provider_twilio, sizeof provider_twilio}, .variable = NULL,
   .format = NULL,
   .other_variables = NULL, .prefixes = NULL,
   .has_check = 0, .has_keys = 1},
  {.description = {"xai", provider_xai, sizeof provider_xai}, .variable = "XAI_API_KEY",
   .format = "xai-[\\w-]{70,120}",
   .other_variables = NULL, .prefixes = "xai- 40",
   .has_check = 1, .has_keys = 0},
};

const struct keyplan_service *keyplan_service_at(size_t index) {
  return index < sizeof services / sizeof *services ? &services[index] : NULL;
}

const struct keyplan_provider *keyplan_provider_at(size_t index) {
  return index < sizeof providers / sizeof *providers ? &providers[index] : NULL;
}
