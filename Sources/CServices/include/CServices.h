// The descriptions of the services and providers that keyplan knows, embedded by the compiler: no file is looked for at
// run time. All texts end with a NUL.
#pragma once
#include <stddef.h>

/// A description by the name of its backend. The bytes are UTF-8, without a NUL at the end.
struct keyplan_service {
  const char *name;
  const unsigned char *bytes;
  size_t size;
};

/// A provider of keys. What every command may need of it does not have to be parsed.
struct keyplan_provider {
  struct keyplan_service description;
  /// The usual name of the variable that holds a key; NULL if manifests cannot name the provider.
  const char *variable;
  /// The pattern of a key; NULL if keys have none that is distinctive.
  const char *format;
  /// Other usual names of the variable, separated by blanks; NULL for none.
  const char *other_variables;
  /// Prefixes that only a key has, each followed by the least number of characters after it, separated by blanks; NULL
  /// for none.
  const char *prefixes;
  /// Whether the description says how a key is checked.
  unsigned char has_check;
  /// Whether the description says how keys are made and revoked.
  unsigned char has_keys;
};

/// The service at an index, counted from 0 in the order of their names; NULL after the last.
const struct keyplan_service *keyplan_service_at(size_t index);

/// The same for the providers of keys.
const struct keyplan_provider *keyplan_provider_at(size_t index);
