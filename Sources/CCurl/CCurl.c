#define _DEFAULT_SOURCE
#define __STDC_WANT_LIB_EXT1__ 1
#include "CCurl.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#ifdef __APPLE__
#include <malloc/malloc.h>
#define allocated(memory) malloc_size(memory)
#define wipe(memory, count) memset_s(memory, count, 0, count)
#else
#include <malloc.h>
#define allocated(memory) malloc_usable_size(memory)
#define wipe(memory, count) explicit_bzero(memory, count)
#endif

// The library's functions, looked up by `keyplan_curl_load`. libcurl's macros that check arguments must not apply here.
#undef curl_easy_setopt
#undef curl_easy_getinfo
static struct {
  __typeof__(&curl_global_init_mem) global_init_mem;
  __typeof__(&curl_easy_init) easy_init;
  __typeof__(&curl_easy_cleanup) easy_cleanup;
  __typeof__(&curl_easy_reset) easy_reset;
  __typeof__(&curl_easy_setopt) easy_setopt;
  __typeof__(&curl_easy_perform) easy_perform;
  __typeof__(&curl_easy_getinfo) easy_getinfo;
} lib;

// libcurl copies headers and bodies into buffers of its own, which it allocates here so that they are wiped when freed.
static void wiping_free(void *memory) {
  if (!memory) return;
  wipe(memory, allocated(memory));
  free(memory);
}

static void *wiping_realloc(void *memory, size_t count) {
  void *fresh = malloc(count);
  if (!memory || !fresh) return fresh;
  size_t old = allocated(memory);
  memcpy(fresh, memory, old < count ? old : count);
  wiping_free(memory);
  return fresh;
}

const char *keyplan_curl_load(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(lib.name = (__typeof__(lib.name))dlsym(library, "curl_" #name))) return dlerror()
  FIND(global_init_mem);
  FIND(easy_init);
  FIND(easy_cleanup);
  FIND(easy_reset);
  FIND(easy_setopt);
  FIND(easy_perform);
  FIND(easy_getinfo);
#undef FIND
  CURLcode code = lib.global_init_mem(CURL_GLOBAL_DEFAULT, malloc, wiping_free, wiping_realloc, strdup, calloc);
  return code == CURLE_OK ? NULL : "its initialization failed";
}

CURL *keyplan_curl_new(void) { return lib.easy_init(); }
void keyplan_curl_free(CURL *handle) { lib.easy_cleanup(handle); }
void keyplan_curl_reset(CURL *handle) { lib.easy_reset(handle); }
CURLcode keyplan_curl_perform(CURL *handle) { return lib.easy_perform(handle); }

CURLcode keyplan_curl_set_long(CURL *handle, CURLoption option, long value) {
  return lib.easy_setopt(handle, option, value);
}

CURLcode keyplan_curl_set_pointer(CURL *handle, CURLoption option, const void *value) {
  return lib.easy_setopt(handle, option, value);
}

CURLcode keyplan_curl_set_bytes(CURL *handle, CURLoption option, const void *start, size_t count) {
  struct curl_blob blob = {.data = (void *)start, .len = count, .flags = CURL_BLOB_COPY};
  return lib.easy_setopt(handle, option, &blob);
}

CURLcode keyplan_curl_set_scheme(CURL *handle, const char *scheme) {
  CURLcode code = lib.easy_setopt(handle, (CURLoption)(CURLOPTTYPE_STRINGPOINT + 318), scheme);
  if (code != CURLE_UNKNOWN_OPTION) return code;
  // Before 7.85 schemes were a bit mask, set with an option that is deprecated in newer headers.
  long bits = strcmp(scheme, "https") == 0 ? CURLPROTO_HTTPS : CURLPROTO_HTTP;
  return lib.easy_setopt(handle, (CURLoption)(CURLOPTTYPE_LONG + 181), bits);
}

long keyplan_curl_get_long(CURL *handle, CURLINFO info) {
  long value = 0;
  return lib.easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}

struct bytes {
  char *start;
  size_t count, room;
};

struct keyplan_answer {
  struct bytes head, body;
  // Counts all header lines, including those of interim responses.
  size_t head_limit, head_seen, body_limit;
  bool has_head, overflow;
  atomic_bool cancelled;
};

// Above `doubling_limit` the buffer is enlarged to its maximum at once, unless that exceeds `whole_limit`: pages that are never
// written use no memory, but copying to a buffer of twice the size would.
static const size_t doubling_limit = 1 << 20, whole_limit = 64 << 20;

static bool append(struct bytes *bytes, size_t limit, const char *data, size_t count) {
  if (bytes->room - bytes->count < count) {
    size_t room = bytes->room ? bytes->room : 4096;
    while (room - bytes->count < count) room *= 2;
    if (room > doubling_limit && limit <= whole_limit) room = limit;
    char *larger = wiping_realloc(bytes->start, room);
    if (!larger) return false;
    bytes->start = larger;
    bytes->room = room;
  }
  memcpy(bytes->start + bytes->count, data, count);
  bytes->count += count;
  return true;
}

// A callback aborts the transfer by returning another number than it was passed.

static size_t take_header(char *data, size_t one, size_t count, void *context) {
  keyplan_answer *answer = context;
  answer->head_seen += count;
  if (answer->head_seen > answer->head_limit) {
    answer->overflow = true;
    return 0;
  }
  if (count >= 5 && memcmp(data, "HTTP/", 5) == 0) {
    // A previous block was that of an interim response (1xx).
    answer->head.count = 0;
    answer->has_head = false;
  } else if (answer->has_head) {
    // A trailer.
    return count;
  }
  if (count <= 2 && (data[0] == '\r' || data[0] == '\n')) answer->has_head = true;
  return append(&answer->head, answer->head_limit, data, count) ? count : 0;
}

static size_t take_body(char *data, size_t one, size_t count, void *context) {
  keyplan_answer *answer = context;
  if (count > answer->body_limit - answer->body.count) {
    answer->overflow = true;
    return 0;
  }
  return append(&answer->body, answer->body_limit, data, count) ? count : 0;
}

static int should_stop(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
  return atomic_load(&((keyplan_answer *)context)->cancelled);
}

keyplan_answer *keyplan_answer_new(size_t head_limit) {
  keyplan_answer *answer = calloc(1, sizeof *answer);
  if (answer) answer->head_limit = head_limit;
  return answer;
}

void keyplan_answer_clear(keyplan_answer *answer) {
  wiping_free(answer->head.start);
  // Only what was written, not the whole buffer.
  if (answer->body.start) wipe(answer->body.start, answer->body.count);
  free(answer->body.start);
  answer->head = answer->body = (struct bytes){0};
  answer->head_seen = 0;
  answer->has_head = answer->overflow = false;
  atomic_store(&answer->cancelled, false);
}

void keyplan_answer_free(keyplan_answer *answer) {
  keyplan_answer_clear(answer);
  free(answer);
}

void keyplan_answer_attach(keyplan_answer *answer, CURL *handle, size_t body_limit) {
  answer->body_limit = body_limit;
  lib.easy_setopt(handle, CURLOPT_HEADERFUNCTION, take_header);
  lib.easy_setopt(handle, CURLOPT_HEADERDATA, answer);
  lib.easy_setopt(handle, CURLOPT_WRITEFUNCTION, take_body);
  lib.easy_setopt(handle, CURLOPT_WRITEDATA, answer);
  lib.easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, should_stop);
  lib.easy_setopt(handle, CURLOPT_XFERINFODATA, answer);
  lib.easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
}

void keyplan_answer_cancel(keyplan_answer *answer) { atomic_store(&answer->cancelled, true); }
bool keyplan_answer_has_head(const keyplan_answer *answer) { return answer->has_head; }
bool keyplan_answer_overflow(const keyplan_answer *answer) { return answer->overflow; }

const char *keyplan_answer_head(const keyplan_answer *answer, size_t *count) {
  *count = answer->head.count;
  return answer->head.start;
}

const char *keyplan_answer_body(const keyplan_answer *answer, size_t *count) {
  *count = answer->body.count;
  return answer->body.start;
}
