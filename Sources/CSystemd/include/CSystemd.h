// Loads libsystemd on first use (nothing is linked), for its D-Bus client sd-bus. Declares what is used, so that building
// needs no headers.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Loads the library, once per process. Returns NULL on success, otherwise the loader's message.
const char *keyplan_bus_load(const char *file);

// All functions below require the loaded library. Where nothing else is said, they return a negative errno on failure. A
// connection and its messages belong to one thread.

typedef struct keyplan_bus keyplan_bus;
typedef struct keyplan_bus_message keyplan_bus_message;

/// Connects to the bus at a D-Bus address, and waits for at most so many microseconds until messages can be sent.
int keyplan_bus_open(keyplan_bus **bus, const char *address, uint64_t timeout);
void keyplan_bus_free(keyplan_bus *bus);

/// A method call whose memory, and that of its reply, is erased on release, if the library supports that (248).
int keyplan_bus_message_new(
    keyplan_bus *bus, keyplan_bus_message **message, const char *destination, const char *path, const char *interface,
    const char *member);
void keyplan_bus_message_free(keyplan_bus_message *message);

/// Appends a string (`s`) or an object path (`o`).
int keyplan_bus_append_text(keyplan_bus_message *message, char type, const char *text);
/// Appends an array of bytes (`ay`).
int keyplan_bus_append_bytes(keyplan_bus_message *message, const void *bytes, size_t count);
int keyplan_bus_append_bool(keyplan_bus_message *message, int value);
/// Begins a container: an array (`a`), a variant (`v`), a structure (`r`) or an entry of a dictionary (`e`).
int keyplan_bus_begin(keyplan_bus_message *message, char type, const char *contents);
int keyplan_bus_end(keyplan_bus_message *message);

/// Sends a call, and waits for its reply for at most so many microseconds.
/// On failure, `error` receives the D-Bus name of the error: the other side's, or the library's own.
int keyplan_bus_call(
    keyplan_bus *bus, keyplan_bus_message *message, uint64_t timeout, char *error, size_t error_size,
    keyplan_bus_message **reply);

/// Enters a container. Returns 0 at the end of the array that contains it.
int keyplan_bus_enter(keyplan_bus_message *message, char type, const char *contents);
int keyplan_bus_leave(keyplan_bus_message *message);
/// Reads a string or an object path, which the message owns. Returns 0 at the end of an array.
int keyplan_bus_read_text(keyplan_bus_message *message, char type, const char **text);
/// Reads an array of bytes, which the message owns.
int keyplan_bus_read_bytes(keyplan_bus_message *message, const void **bytes, size_t *count);
/// Reads a Boolean.
int keyplan_bus_read_bool(keyplan_bus_message *message, int *value);
/// Skips values of these types.
int keyplan_bus_skip(keyplan_bus_message *message, const char *types);
