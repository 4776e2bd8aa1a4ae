// What Swift cannot import: prctl(2) is variadic, and the variable `environ` is read-only in Swift.
#pragma once
#include <signal.h>
#include <unistd.h>

/// The arguments of `main`, the program's name first; -1 and NULL if the C library does not provide them.
int keyplan_argument_count(void);
char *const *keyplan_arguments(void);

#ifdef __GLIBC__
#include <malloc.h>

/// Uses the first thread's arena for all allocations: it grows by 128 KiB, while those of other threads grow page by page.
///
/// Freed memory is kept for later stages, because the system would clear each page again. Freed blocks are merged with their
/// neighbours at once, while these are in the cache, instead of all together at the next large allocation.
static inline void keyplan_use_one_arena(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_MXFAST, 0);
}
#endif

#ifdef __linux__
#include <sys/prctl.h>

/// Excludes this process's memory from core dumps, including piped ones, and from access by other processes (ptrace).
static inline int keyplan_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#endif

/// Whether this process ignores a signal, as it does after `nohup`.
static inline int keyplan_ignores(int number) {
  struct sigaction present;
  return sigaction(number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_IGN;
}

/// Replaces this process with another program, found by PATH. Returns only on failure, with errno set.
static inline int keyplan_replace(const char *program, char *const arguments[], char **variables) {
  extern char **environ;
  environ = variables;
  return execvp(program, arguments);
}

/// In the first process of a PID namespace, forks and returns only in the child. The parent forwards signals to the child, reaps orphaned
/// processes and exits with the child's exit code.
///
/// Call it before other threads start. Does nothing in any other process, or if the fork fails.
void keyplan_leave_first_process(void);

/// The number of threads that can be started at once, up to a count.
int keyplan_startable_threads(int count);

/// The processors that this process may use, each of which gets a thread of the scheduler.
int keyplan_processors(void);

/// The settings of a new program that differ from those of this process.
struct keyplan_surroundings {
  unsigned mask;
  /// The limits of core dumps, as getrlimit(2) has them.
  unsigned long long core_now, core_highest;
  /// A terminal that is given to the program's process group; -1 for none.
  int terminal;
};

/// Starts another program, found by PATH, in a process group of its own, with all signals as a program expects them. On Linux it
/// gets SIGTERM if the calling thread ends.
///
/// Nothing is left of the variables in this process but what the caller holds.
/// Returns the process, or -1 with errno set if the program cannot be executed.
pid_t keyplan_start(
  const char *program, char *const arguments[], char **variables, struct keyplan_surroundings surroundings);

/// Gives a terminal to a process group, even from the background.
void keyplan_give_terminal(int terminal, pid_t group);

/// The state of a process: whether it changed, and if it ended, its exit code, or 128 and the signal.
struct keyplan_progress {
  int ended;
  int stopped;
  int code;
};

/// Looks without waiting. A process that ended keeps its number until `keyplan_reap`.
struct keyplan_progress keyplan_progress_of(pid_t process);
void keyplan_reap(pid_t process);
