// The parts of libcurl's use that Swift cannot do: loading it on first use (nothing is linked), calling its variadic functions,
// and providing memory that is wiped. Types and option names are libcurl's own.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/// Loads and initializes the library, once per process. Returns NULL on success, otherwise the loader's message.
const char *keyplan_curl_load(const char *file);

// All functions below require the loaded library.

CURL *keyplan_curl_new(void);
void keyplan_curl_free(CURL *handle);
/// Resets all options; connections stay open.
void keyplan_curl_reset(CURL *handle);
CURLcode keyplan_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode keyplan_curl_set_pointer(CURL *handle, CURLoption option, const void *value);
/// Copies the bytes, for the options that take a `curl_blob`.
CURLcode keyplan_curl_set_bytes(CURL *handle, CURLoption option, const void *start, size_t count);
/// Allows only one URL scheme, with the option that this version of libcurl supports.
CURLcode keyplan_curl_set_scheme(CURL *handle, const char *scheme);
CURLcode keyplan_curl_perform(CURL *handle);
long keyplan_curl_get_long(CURL *handle, CURLINFO info);

/// A response while it is received: its last header block and its body, both limited in size.
typedef struct keyplan_answer keyplan_answer;

keyplan_answer *keyplan_answer_new(size_t head_limit);
void keyplan_answer_free(keyplan_answer *answer);
/// Wipes the response for the next transfer.
void keyplan_answer_clear(keyplan_answer *answer);
/// Makes the handle write its response here. `answer` must outlive the transfer.
void keyplan_answer_attach(keyplan_answer *answer, CURL *handle, size_t body_limit);
/// Ends the transfer within a second. May be called from any thread.
void keyplan_answer_cancel(keyplan_answer *answer);
/// Whether the header block is complete. libcurl does not detect a truncated one.
bool keyplan_answer_has_head(const keyplan_answer *answer);
/// Whether the response exceeded a limit.
bool keyplan_answer_overflow(const keyplan_answer *answer);
const char *keyplan_answer_head(const keyplan_answer *answer, size_t *count);
const char *keyplan_answer_body(const keyplan_answer *answer, size_t *count);
