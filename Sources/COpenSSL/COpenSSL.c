#include "COpenSSL.h"
#include <dlfcn.h>

// The same in every version since 1.0.2.
#define EVP_PKEY_RSA 6
typedef struct pkey pkey;
typedef struct pkey_ctx pkey_ctx;

// The library's functions, looked up by `keyplan_crypto_load`.
static struct {
  pkey *(*d2i_PublicKey)(int, pkey **, const unsigned char **, long);
  pkey *(*d2i_PrivateKey)(int, pkey **, const unsigned char **, long);
  void (*EVP_PKEY_free)(pkey *);
  pkey_ctx *(*EVP_PKEY_CTX_new)(pkey *, void *);
  void (*EVP_PKEY_CTX_free)(pkey_ctx *);
  int (*EVP_PKEY_CTX_ctrl_str)(pkey_ctx *, const char *, const char *);
  int (*EVP_PKEY_encrypt_init)(pkey_ctx *);
  int (*EVP_PKEY_encrypt)(pkey_ctx *, unsigned char *, size_t *, const unsigned char *, size_t);
  int (*EVP_PKEY_decrypt_init)(pkey_ctx *);
  int (*EVP_PKEY_decrypt)(pkey_ctx *, unsigned char *, size_t *, const unsigned char *, size_t);
  void (*ERR_clear_error)(void);
} lib;

const char *keyplan_crypto_load(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(lib.name = (__typeof__(lib.name))dlsym(library, #name))) return dlerror()
  FIND(d2i_PublicKey);
  FIND(d2i_PrivateKey);
  FIND(EVP_PKEY_free);
  FIND(EVP_PKEY_CTX_new);
  FIND(EVP_PKEY_CTX_free);
  FIND(EVP_PKEY_CTX_ctrl_str);
  FIND(EVP_PKEY_encrypt_init);
  FIND(EVP_PKEY_encrypt);
  FIND(EVP_PKEY_decrypt_init);
  FIND(EVP_PKEY_decrypt);
  FIND(ERR_clear_error);
#undef FIND
  return NULL;
}

bool keyplan_rsa_oaep(
    bool encrypting, const uint8_t *der, size_t der_count, const char *label, const uint8_t *input, size_t input_count,
    uint8_t *output, size_t *output_count) {
  pkey *key = (encrypting ? lib.d2i_PublicKey : lib.d2i_PrivateKey)(EVP_PKEY_RSA, NULL, &der, (long)der_count);
  pkey_ctx *context = key ? lib.EVP_PKEY_CTX_new(key, NULL) : NULL;
  bool done = context && (encrypting ? lib.EVP_PKEY_encrypt_init : lib.EVP_PKEY_decrypt_init)(context) > 0 &&
              lib.EVP_PKEY_CTX_ctrl_str(context, "rsa_padding_mode", "oaep") > 0 &&
              lib.EVP_PKEY_CTX_ctrl_str(context, "rsa_oaep_md", "sha256") > 0 &&
              lib.EVP_PKEY_CTX_ctrl_str(context, "rsa_mgf1_md", "sha256") > 0 &&
              lib.EVP_PKEY_CTX_ctrl_str(context, "rsa_oaep_label", label) > 0 &&
              (encrypting ? lib.EVP_PKEY_encrypt : lib.EVP_PKEY_decrypt)(
                  context, output, output_count, input, input_count) > 0;
  if (context) lib.EVP_PKEY_CTX_free(context);
  if (key) lib.EVP_PKEY_free(key);
  // libcurl and libpq use the same queue of errors, on the same thread.
  lib.ERR_clear_error();
  return done;
}
