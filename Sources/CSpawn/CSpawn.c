#define _GNU_SOURCE
#include "CSpawn.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

static int prepare(
  posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, const char *directory, int input, int output) {
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  short flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
#ifdef __APPLE__
  flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
#endif
  int failure;
  if ((failure = posix_spawnattr_setsigmask(attributes, &none))) return failure;
  if ((failure = posix_spawnattr_setsigdefault(attributes, &all))) return failure;
  if ((failure = posix_spawnattr_setflags(attributes, flags))) return failure;
  if ((failure = posix_spawn_file_actions_addchdir_np(actions, directory))) return failure;
  if ((failure = posix_spawn_file_actions_adddup2(actions, input, STDIN_FILENO))) return failure;
  if ((failure = posix_spawn_file_actions_adddup2(actions, output, STDOUT_FILENO))) return failure;
  if ((failure = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0))) return failure;
#ifndef __APPLE__
  if ((failure = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1))) return failure;
#endif
  return 0;
}

int keyplan_spawn(
  pid_t *number, const char *path, char *const arguments[], char *const variables[], const char *directory, int input,
  int output) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int failure = posix_spawn_file_actions_init(&actions);
  if (failure) return failure;
  if (!(failure = posix_spawnattr_init(&attributes))) {
    if (!(failure = prepare(&actions, &attributes, directory, input, output)))
      failure = posix_spawn(number, path, &actions, &attributes, arguments, variables);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return failure;
}
