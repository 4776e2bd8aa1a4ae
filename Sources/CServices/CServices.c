// The descriptions of KeyplanRemote/Services/, embedded unchanged. To add one, add its bytes and a line in the table.
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
