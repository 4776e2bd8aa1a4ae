// Loads libexpat on first use (nothing is linked), and limits the resources that a document may use.
#pragma once
#include <stdbool.h>
#include <stddef.h>

/// Loads the library, once per process. Returns NULL on success, otherwise the loader's message.
const char *keyplan_expat_load(const char *file);

/// The limits of a document.
typedef struct {
  size_t bytes, elements, depth;
  /// The length of a tag with all its attributes: libexpat's work can be quadratic in it.
  size_t tag;
  /// The length of a name with its namespace, which is declared once but expanded in every name.
  size_t name;
} keyplan_xml_limits;

typedef enum {
  KEYPLAN_XML_READ,
  /// It is not well-formed XML in UTF-8.
  KEYPLAN_XML_MALFORMED,
  /// It declares a document type, which could define entities.
  KEYPLAN_XML_DOCTYPE,
  KEYPLAN_XML_LIMIT,
  KEYPLAN_XML_MEMORY,
  /// A handler stopped the parser.
  KEYPLAN_XML_STOPPED,
} keyplan_xml_outcome;

typedef struct {
  keyplan_xml_outcome outcome;
  size_t line;
} keyplan_xml_end;

/// Called in document order. Names are `namespace \x01 local`, or only `local`; `attributes` contains alternating names and
/// values, ending with NULL. Text may be passed in several pieces. Returning false stops the parser.
typedef struct {
  void *context;
  bool (*start)(void *context, const char *name, const char **attributes);
  bool (*text)(void *context, const char *bytes, size_t count);
  bool (*end)(void *context);
} keyplan_xml_handler;

/// Parses a whole document. Requires the loaded library.
keyplan_xml_end keyplan_xml_read(
    const char *bytes, size_t count, keyplan_xml_limits limits, const keyplan_xml_handler *handler);
