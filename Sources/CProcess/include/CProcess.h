// What Swift does not import: prctl(2) takes variable arguments, and the variable `environ` can only be read.
#pragma once
#include <signal.h>
#include <unistd.h>

/// The arguments that `main` gets, the program's name first; -1 and NULL where the C library does not pass them on.
int keyplan_argument_count(void);
char *const *keyplan_arguments(void);

#ifdef __GLIBC__
#include <malloc.h>

/// Keeps all memory in the arena of the first thread, which grows by 128 KiB; those of other threads grow page by page.
///
/// What one stage gives back stays for the next: the system would clear each page again. And it is joined to what is free
/// beside it at once, while that is in the cache, and not with all the rest at the next large request.
static inline void keyplan_use_one_arena(void) {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_MXFAST, 0);
}
#endif

#ifdef __linux__
#include <sys/prctl.h>

/// Keeps this process's memory out of core dumps, piped ones included, and out of other processes' reach (ptrace).
static inline int keyplan_hide_memory(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#endif

/// Whether this process ignores a signal, as it does after `nohup`.
static inline int keyplan_ignores(int number) {
  struct sigaction present;
  return sigaction(number, NULL, &present) == 0 && !(present.sa_flags & SA_SIGINFO) && present.sa_handler == SIG_IGN;
}

/// Runs another program in this process's place, found by PATH. Returns only on failure, with errno set.
static inline int keyplan_replace(const char *program, char *const arguments[], char **variables) {
  extern char **environ;
  environ = variables;
  return execvp(program, arguments);
}
