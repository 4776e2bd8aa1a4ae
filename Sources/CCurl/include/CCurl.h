// What Swift cannot do with libcurl: load it on first use (nothing is linked), call its variadic functions and lend it memory
// that is wiped. The types and option names are libcurl's own.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>

/// Loads the library and prepares it, once in the life of the process. NULL is success; otherwise what the loader said.
const char *keyplan_curl_load(const char *file);

// Everything below needs a loaded library.

CURL *keyplan_curl_new(void);
void keyplan_curl_free(CURL *handle);
/// Takes all options back; connections stay open.
void keyplan_curl_reset(CURL *handle);
CURLcode keyplan_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode keyplan_curl_set_pointer(CURL *handle, CURLoption option, const void *value);
/// Allows one URL scheme, whichever way this libcurl has for that.
CURLcode keyplan_curl_set_scheme(CURL *handle, const char *scheme);
CURLcode keyplan_curl_perform(CURL *handle);
long keyplan_curl_get_long(CURL *handle, CURLINFO info);

/// One answer as it comes in: its last header block and its body, both bounded.
typedef struct keyplan_answer keyplan_answer;

keyplan_answer *keyplan_answer_new(size_t head_limit);
void keyplan_answer_free(keyplan_answer *answer);
/// Wipes it for the next transfer.
void keyplan_answer_clear(keyplan_answer *answer);
/// Has the handle write its answer here. The answer must outlive the transfer.
void keyplan_answer_attach(keyplan_answer *answer, CURL *handle, size_t body_limit);
/// From any thread: the transfer ends within a second.
void keyplan_answer_cancel(keyplan_answer *answer);
/// Whether the header block came to its end. libcurl takes one that is cut off for a whole one.
bool keyplan_answer_has_head(const keyplan_answer *answer);
/// Whether there was more than is taken.
bool keyplan_answer_overflow(const keyplan_answer *answer);
const char *keyplan_answer_head(const keyplan_answer *answer, size_t *count);
const char *keyplan_answer_body(const keyplan_answer *answer, size_t *count);
