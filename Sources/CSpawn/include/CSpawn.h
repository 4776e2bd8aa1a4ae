// Programs that keyplan starts and talks to: what fork(2) allows in C only.
#pragma once
#include <sys/types.h>

/// A program in a session of its own, whose process group dies with this process.
struct keyplan_program {
  /// The number of the process, and of its session and group.
  pid_t number;
  /// The process that waits for the end of this one.
  pid_t guard;
  /// The pipe that is closed when this process ends, however it ends.
  int life;
};

enum keyplan_step { keyplan_step_started, keyplan_step_preparation, keyplan_step_directory, keyplan_step_execution };

/// The step at which a program could not be started, and the errno.
struct keyplan_refusal {
  enum keyplan_step step;
  int number;
};

/// The descriptors that a program gets; -1 for /dev/null.
struct keyplan_streams {
  int input, output, error;
};

/// Starts a program as the leader of a new session, with all signals at their defaults.
///
/// If this process ends before `keyplan_end`, even by SIGKILL, the program and all of its process group are killed. A second process waits for
/// that: PR_SET_PDEATHSIG reaches neither what the program has started nor a set-uid program, and is sent when a mere thread ends.
struct keyplan_refusal keyplan_spawn(
  struct keyplan_program *program, const char *path, char *const arguments[], char *const variables[], const char *directory,
  struct keyplan_streams streams);

/// Makes a pipe that no program inherits, beside the standard streams, which a host of the library may have closed. Returns 0, or -1 with
/// errno set.
int keyplan_make_pipe(int ends[2]);

/// Whether it has ended. It keeps its number until `keyplan_end`.
int keyplan_has_ended(pid_t number);

/// A descriptor that can be read when the process has ended; -1 where the system has none.
int keyplan_end_descriptor(pid_t number);

/// The end of a program: its exit code, -1 if the system does not say, or the signal that ended it.
struct keyplan_ending {
  int code;
  int signal;
};

/// Kills what is left of a program's process group, and forgets the program.
struct keyplan_ending keyplan_end(struct keyplan_program program);
