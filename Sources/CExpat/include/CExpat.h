// What Swift cannot do with libexpat: load it on first use (nothing is linked), and bound what a document may cost.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Loads the library, once in the life of the process. NULL is success; otherwise what the loader said.
const char *keyplan_expat_load(const char *file);

/// What a document may have at most.
typedef struct {
  size_t bytes, elements, depth;
  /// Of one tag with all its attributes: libexpat's own work can grow with the square of it.
  size_t tag;
  /// Of a name with its namespace, which is bound once and expanded with every name.
  size_t name;
} keyplan_xml_limits;

typedef enum {
  KEYPLAN_XML_READ,
  /// It is no well-formed XML in UTF-8.
  KEYPLAN_XML_MALFORMED,
  /// It declares a document type, with which entities come.
  KEYPLAN_XML_DOCTYPE,
  KEYPLAN_XML_LIMIT,
  KEYPLAN_XML_MEMORY,
  /// A handler had it stopped.
  KEYPLAN_XML_STOPPED,
} keyplan_xml_outcome;

typedef struct {
  keyplan_xml_outcome outcome;
  size_t line;
} keyplan_xml_end;

/// Called in the order of the document. Names are `namespace \x01 local`, or `local` alone; `attributes` are names and
/// values in turn, up to NULL. Text comes in pieces. False stops.
typedef struct {
  void *context;
  bool (*start)(void *context, const char *name, const char **attributes);
  bool (*text)(void *context, const char *bytes, size_t count);
  bool (*end)(void *context);
} keyplan_xml_handler;

/// Reads a whole document. Needs the loaded library.
keyplan_xml_end keyplan_xml_read(
    const char *bytes, size_t count, keyplan_xml_limits limits, const keyplan_xml_handler *handler);
