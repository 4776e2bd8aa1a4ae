#define _GNU_SOURCE
#include "CExpat.h"
#include <dlfcn.h>
#include <expat.h>
#include <limits.h>
#include <string.h>

// The library's functions, looked up by `keyplan_expat_load`.
static struct {
  __typeof__(&XML_ParserCreateNS) ParserCreateNS;
  __typeof__(&XML_ParserFree) ParserFree;
  __typeof__(&XML_SetUserData) SetUserData;
  __typeof__(&XML_SetElementHandler) SetElementHandler;
  __typeof__(&XML_SetCharacterDataHandler) SetCharacterDataHandler;
  __typeof__(&XML_SetStartDoctypeDeclHandler) SetStartDoctypeDeclHandler;
  __typeof__(&XML_StopParser) StopParser;
  __typeof__(&XML_Parse) Parse;
  __typeof__(&XML_GetErrorCode) GetErrorCode;
  __typeof__(&XML_GetCurrentLineNumber) GetCurrentLineNumber;
} lib;

const char *keyplan_expat_load(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(lib.name = (__typeof__(lib.name))dlsym(library, "XML_" #name))) return dlerror()
  FIND(ParserCreateNS);
  FIND(ParserFree);
  FIND(SetUserData);
  FIND(SetElementHandler);
  FIND(SetCharacterDataHandler);
  FIND(SetStartDoctypeDeclHandler);
  FIND(StopParser);
  FIND(Parse);
  FIND(GetErrorCode);
  FIND(GetCurrentLineNumber);
#undef FIND
  return NULL;
}

struct reading {
  XML_Parser parser;
  keyplan_xml_limits limits;
  const keyplan_xml_handler *handler;
  size_t depth, elements;
  keyplan_xml_outcome stopped;
};

static void stop(struct reading *reading, keyplan_xml_outcome outcome) {
  if (reading->stopped) return;
  reading->stopped = outcome;
  lib.StopParser(reading->parser, XML_FALSE);
}

// libexpat completes the current token before it stops: each of these may be called once more, and then does nothing.

static void take_start(void *context, const char *name, const char **attributes) {
  struct reading *reading = context;
  if (reading->stopped) return;
  if (++reading->depth > reading->limits.depth || ++reading->elements > reading->limits.elements)
    stop(reading, KEYPLAN_XML_LIMIT);
  else if (strnlen(name, reading->limits.name + 1) > reading->limits.name) stop(reading, KEYPLAN_XML_LIMIT);
  else if (!reading->handler->start(reading->handler->context, name, attributes)) stop(reading, KEYPLAN_XML_STOPPED);
}

static void take_end(void *context, const char *name) {
  struct reading *reading = context;
  if (reading->stopped) return;
  reading->depth--;
  if (!reading->handler->end(reading->handler->context)) stop(reading, KEYPLAN_XML_STOPPED);
}

static void take_text(void *context, const char *bytes, int count) {
  struct reading *reading = context;
  if (reading->stopped) return;
  if (!reading->handler->text(reading->handler->context, bytes, (size_t)count)) stop(reading, KEYPLAN_XML_STOPPED);
}

static void refuse_doctype(
    void *context, const char *name, const char *system, const char *public_name, int has_internal_subset) {
  stop(context, KEYPLAN_XML_DOCTYPE);
}

static const char *find(const char *at, const char *end, const char *text) {
  const char *found = memmem(at, (size_t)(end - at), text, strlen(text));
  return found ? found + strlen(text) : end;
}

// Whether every tag is at most this long. For malformed XML the result is arbitrary, since libexpat rejects it.
static bool tags_fit(const char *at, const char *end, size_t limit) {
  while ((at = memchr(at, '<', (size_t)(end - at)))) {
    const char *start = at++;
    size_t left = (size_t)(end - at);
    if (left >= 3 && memcmp(at, "!--", 3) == 0) at = find(at + 3, end, "-->");
    else if (left >= 8 && memcmp(at, "![CDATA[", 8) == 0) at = find(at + 8, end, "]]>");
    else if (left >= 1 && *at == '?') at = find(at, end, "?>");
    else {
      char quote = 0;
      for (; at < end && (quote || *at != '>'); at++) {
        if ((size_t)(at - start) >= limit) return false;
        if (quote ? *at == quote : *at == '"' || *at == '\'') quote = quote ? 0 : *at;
      }
    }
  }
  return true;
}

keyplan_xml_end keyplan_xml_read(
    const char *bytes, size_t count, keyplan_xml_limits limits, const keyplan_xml_handler *handler) {
  if (count > limits.bytes || count > INT_MAX) return (keyplan_xml_end){KEYPLAN_XML_LIMIT, 1};
  // libexpat would detect UTF-16 by the first bytes, whatever encoding is set; the limit of tags below depends on UTF-8.
  if (count == 0 || memchr(bytes, 0, count)) return (keyplan_xml_end){KEYPLAN_XML_MALFORMED, 1};
  if (!tags_fit(bytes, bytes + count, limits.tag)) return (keyplan_xml_end){KEYPLAN_XML_LIMIT, 1};
  // The separator is a character that XML does not allow, so that no namespace can contain it.
  struct reading reading = {lib.ParserCreateNS("UTF-8", 1), limits, handler, 0, 0, KEYPLAN_XML_READ};
  if (!reading.parser) return (keyplan_xml_end){KEYPLAN_XML_MEMORY, 1};
  lib.SetUserData(reading.parser, &reading);
  lib.SetElementHandler(reading.parser, take_start, take_end);
  lib.SetCharacterDataHandler(reading.parser, take_text);
  lib.SetStartDoctypeDeclHandler(reading.parser, refuse_doctype);
  enum XML_Status status = lib.Parse(reading.parser, bytes, (int)count, 1);
  keyplan_xml_end end = {reading.stopped, lib.GetCurrentLineNumber(reading.parser)};
  if (!end.outcome && status != XML_STATUS_OK)
    end.outcome = lib.GetErrorCode(reading.parser) == XML_ERROR_NO_MEMORY ? KEYPLAN_XML_MEMORY : KEYPLAN_XML_MALFORMED;
  lib.ParserFree(reading.parser);
  return end;
}
