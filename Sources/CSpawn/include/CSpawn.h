// What Swift's modules of the C library lack: extensions of posix_spawn(3).
#pragma once
#include <sys/types.h>

/// Starts a program as the leader of a new session in a directory, with these descriptors as standard input and output, with standard error
/// dropped, without other descriptors, and with all signals at their defaults. Returns 0 or an errno.
int keyplan_spawn(
  pid_t *number, const char *path, char *const arguments[], char *const variables[], const char *directory, int input,
  int output);
