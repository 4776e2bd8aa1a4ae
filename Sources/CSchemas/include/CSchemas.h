// The JSON schemas of what keyplan reads and writes, embedded by the compiler: no file is looked for at run time.
#pragma once
#include <stddef.h>

/// A schema by the name that `keyplan schema` takes. The bytes are UTF-8, without a NUL at the end.
struct keyplan_schema {
  const char *name;
  const unsigned char *bytes;
  size_t size;
};

/// The schema at an index, counted from 0 in the order of their names; NULL after the last.
const struct keyplan_schema *keyplan_schema(size_t index);
