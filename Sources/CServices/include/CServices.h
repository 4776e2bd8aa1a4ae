// The descriptions of the services that keyplan knows, embedded by the compiler: no file is looked for at run time.
#pragma once
#include <stddef.h>

/// A description by the name of its backend. The bytes are UTF-8, without a NUL at the end.
struct keyplan_service {
  const char *name;
  const unsigned char *bytes;
  size_t size;
};

/// The description at an index, counted from 0 in the order of their names; NULL after the last.
const struct keyplan_service *keyplan_service(size_t index);

/// The same for the providers of keys.
const struct keyplan_service *keyplan_provider(size_t index);

/// The same for the keys of providers: how they are made and revoked.
const struct keyplan_service *keyplan_issuer(size_t index);
