// Loads OpenSSL's libcrypto on first use (nothing is linked), for RSA-OAEP with a label, which swift-crypto does not offer. Declares what is
// used, so that building needs no headers.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads the library, once per process. Returns NULL on success, otherwise the loader's message.
const char *keyplan_crypto_load(const char *file);

/// RSA-OAEP with SHA-256 as its hash and for MGF1 (RFC 8017, section 7.1). Requires the loaded library.
///
/// `der` is a key of PKCS #1: a public one for encrypting, a private one for decrypting. `label` is in hexadecimal. `output` has the size of
/// the key's modulus; `output_count` receives how much of it is used. Returns false on any failure.
bool keyplan_rsa_oaep(
    bool encrypting, const uint8_t *der, size_t der_count, const char *label, const uint8_t *input, size_t input_count,
    uint8_t *output, size_t *output_count);
