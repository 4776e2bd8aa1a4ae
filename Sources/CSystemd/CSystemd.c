#define _GNU_SOURCE
#include "CSystemd.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <time.h>

// From sd-bus-protocol.h and sd-bus.h, which are stable.
struct error {
  const char *name, *message;
  int need_free;
};

// The library's functions, looked up by `keyplan_bus_load`.
static struct {
  int (*new)(keyplan_bus **);
  int (*set_address)(keyplan_bus *, const char *);
  int (*set_bus_client)(keyplan_bus *, int);
  int (*start)(keyplan_bus *);
  int (*is_ready)(keyplan_bus *);
  int (*process)(keyplan_bus *, keyplan_bus_message **);
  int (*wait)(keyplan_bus *, uint64_t);
  void (*close)(keyplan_bus *);
  keyplan_bus *(*unref)(keyplan_bus *);
  int (*call)(keyplan_bus *, keyplan_bus_message *, uint64_t, struct error *, keyplan_bus_message **);
  void (*error_free)(struct error *);
  int (*message_new_method_call)(
      keyplan_bus *, keyplan_bus_message **, const char *, const char *, const char *, const char *);
  keyplan_bus_message *(*message_unref)(keyplan_bus_message *);
  int (*message_append_basic)(keyplan_bus_message *, char, const void *);
  int (*message_append_array)(keyplan_bus_message *, char, const void *, size_t);
  int (*message_open_container)(keyplan_bus_message *, char, const char *);
  int (*message_close_container)(keyplan_bus_message *);
  int (*message_enter_container)(keyplan_bus_message *, char, const char *);
  int (*message_exit_container)(keyplan_bus_message *);
  int (*message_read_basic)(keyplan_bus_message *, char, void *);
  int (*message_read_array)(keyplan_bus_message *, char, const void **, size_t *);
  int (*message_skip)(keyplan_bus_message *, const char *);
  // NULL before version 248.
  int (*message_sensitive)(keyplan_bus_message *);
} lib;

const char *keyplan_bus_load(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(lib.name = (__typeof__(lib.name))dlsym(library, "sd_bus_" #name))) return dlerror()
  FIND(new);
  FIND(set_address);
  FIND(set_bus_client);
  FIND(start);
  FIND(is_ready);
  FIND(process);
  FIND(wait);
  FIND(close);
  FIND(unref);
  FIND(call);
  FIND(error_free);
  FIND(message_new_method_call);
  FIND(message_unref);
  FIND(message_append_basic);
  FIND(message_append_array);
  FIND(message_open_container);
  FIND(message_close_container);
  FIND(message_enter_container);
  FIND(message_exit_container);
  FIND(message_read_basic);
  FIND(message_read_array);
  FIND(message_skip);
#undef FIND
  lib.message_sensitive = (__typeof__(lib.message_sensitive))dlsym(library, "sd_bus_message_sensitive");
  return NULL;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

// sd_bus_call would wait for the connection without regard to its own timeout.
static int become_ready(keyplan_bus *bus, uint64_t deadline) {
  for (;;) {
    int ready = lib.is_ready(bus);
    if (ready) return ready < 0 ? ready : 0;
    uint64_t time = now();
    if (time >= deadline) return -ETIMEDOUT;
    int done = lib.process(bus, NULL);
    if (done < 0) return done;
    if (done > 0) continue;
    done = lib.wait(bus, deadline - time);
    if (done < 0 && done != -EINTR) return done;
  }
}

int keyplan_bus_open(keyplan_bus **bus, const char *address, uint64_t timeout) {
  uint64_t deadline = now() + timeout;
  int result = lib.new(bus);
  if (result < 0) return result;
  if ((result = lib.set_address(*bus, address)) >= 0 && (result = lib.set_bus_client(*bus, 1)) >= 0
      && (result = lib.start(*bus)) >= 0)
    result = become_ready(*bus, deadline);
  if (result < 0) keyplan_bus_free(*bus);
  return result;
}

void keyplan_bus_free(keyplan_bus *bus) {
  lib.close(bus);
  lib.unref(bus);
}

int keyplan_bus_message_new(
    keyplan_bus *bus, keyplan_bus_message **message, const char *destination, const char *path, const char *interface,
    const char *member) {
  int result = lib.message_new_method_call(bus, message, destination, path, interface, member);
  if (result >= 0 && lib.message_sensitive) lib.message_sensitive(*message);
  return result;
}

void keyplan_bus_message_free(keyplan_bus_message *message) { lib.message_unref(message); }

int keyplan_bus_append_text(keyplan_bus_message *message, char type, const char *text) {
  return lib.message_append_basic(message, type, text);
}

int keyplan_bus_append_bytes(keyplan_bus_message *message, const void *bytes, size_t count) {
  return lib.message_append_array(message, 'y', bytes, count);
}

int keyplan_bus_append_bool(keyplan_bus_message *message, int value) {
  return lib.message_append_basic(message, 'b', &value);
}

int keyplan_bus_begin(keyplan_bus_message *message, char type, const char *contents) {
  return lib.message_open_container(message, type, contents);
}

int keyplan_bus_end(keyplan_bus_message *message) { return lib.message_close_container(message); }

int keyplan_bus_call(
    keyplan_bus *bus, keyplan_bus_message *message, uint64_t timeout, char *error, size_t error_size,
    keyplan_bus_message **reply) {
  struct error returned = {NULL, NULL, 0};
  int result = lib.call(bus, message, timeout, &returned, reply);
  snprintf(error, error_size, "%s", result < 0 && returned.name ? returned.name : "");
  lib.error_free(&returned);
  if (result >= 0 && lib.message_sensitive) lib.message_sensitive(*reply);
  return result;
}

int keyplan_bus_enter(keyplan_bus_message *message, char type, const char *contents) {
  return lib.message_enter_container(message, type, contents);
}

int keyplan_bus_leave(keyplan_bus_message *message) { return lib.message_exit_container(message); }

int keyplan_bus_read_text(keyplan_bus_message *message, char type, const char **text) {
  return lib.message_read_basic(message, type, text);
}

int keyplan_bus_read_bytes(keyplan_bus_message *message, const void **bytes, size_t *count) {
  return lib.message_read_array(message, 'y', bytes, count);
}

int keyplan_bus_read_bool(keyplan_bus_message *message, int *value) {
  return lib.message_read_basic(message, 'b', value);
}

int keyplan_bus_skip(keyplan_bus_message *message, const char *types) { return lib.message_skip(message, types); }
