#define _GNU_SOURCE
#include "CSpawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

// After fork(2) in a process with threads, only what is safe in a signal handler may be called. All signals are blocked in both processes
// until the program has its defaults.

static void close_or_mark_from(int first, int marks) {
#ifdef __linux__
  if (syscall(SYS_close_range, first, ~0U, marks ? CLOSE_RANGE_CLOEXEC : 0) == 0) return;
#endif
  // An old kernel, or a sandbox that does not know the call.
  int end = (int)sysconf(_SC_OPEN_MAX);
  for (int descriptor = first; descriptor < end; descriptor++) {
    if (marks) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    else close(descriptor);
  }
}

int keyplan_make_pipe(int ends[2]) {
  int made[2];
#ifdef __linux__
  if (pipe2(made, O_CLOEXEC) != 0) return -1;
#else
  if (pipe(made) != 0) return -1;
#endif
  int failure = 0;
  for (int end = 0; end < 2; end++) {
    ends[end] = fcntl(made[end], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    if (ends[end] < 0) failure = errno;
  }
  for (int end = 0; end < 2; end++) {
    close(made[end]);
    if (failure && ends[end] >= 0) close(ends[end]);
  }
  errno = failure;
  return failure ? -1 : 0;
}

static void close_pipe(const int ends[2]) {
  for (int end = 0; end < 2; end++) close(ends[end]);
}

// Has no descriptor but the pipe: a copy of a lock's would keep the lock.
static void guard(int life) {
  setsid();
#ifdef __linux__
  prctl(PR_SET_NAME, "keyplan-guard");
#endif
  dup2(life, STDIN_FILENO);
  close_or_mark_from(STDIN_FILENO + 1, 0);
  pid_t group = 0, number = 0;
  for (;;) {
    ssize_t count = read(STDIN_FILENO, &number, sizeof number);
    if (count == sizeof number) group = number;
    else if (count >= 0 || errno != EINTR) break;
  }
  if (group > 1) kill(-group, SIGKILL);
  _exit(0);
}

struct call {
  const char *path;
  char *const *arguments;
  char *const *variables;
  const char *directory;
  struct keyplan_streams streams;
};

static int take_streams(struct keyplan_streams given) {
  int streams[3] = {given.input, given.output, given.error};
  for (int number = 0; number < 3; number++) {
    if (streams[number] < 0) streams[number] = open("/dev/null", (number == 0 ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
    // Out of the way of dup2(2), which would overwrite it, or leave it to be closed by exec(3).
    if (streams[number] >= 0 && streams[number] < 3) streams[number] = fcntl(streams[number], F_DUPFD_CLOEXEC, 3);
    if (streams[number] < 0) return -1;
  }
  for (int number = 0; number < 3; number++) {
    if (dup2(streams[number], number) < 0) return -1;
  }
  return 0;
}

static struct keyplan_refusal become(const struct call *call, int life) {
  setsid();
  // Before the program runs, so that the guard always knows which process group it has to kill.
  pid_t number = getpid();
  if (write(life, &number, sizeof number) != sizeof number) return (struct keyplan_refusal){keyplan_step_preparation, errno};
  if (chdir(call->directory) != 0) return (struct keyplan_refusal){keyplan_step_directory, errno};
  if (take_streams(call->streams) != 0) return (struct keyplan_refusal){keyplan_step_preparation, errno};
  close_or_mark_from(STDERR_FILENO + 1, 1);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(call->path, call->arguments, call->variables);
  return (struct keyplan_refusal){keyplan_step_execution, errno};
}

// Whether the status is known: a host that ignores SIGCHLD gets none.
static int reap(pid_t number, int *status) {
  pid_t reaped;
  do reaped = waitpid(number, status, 0);
  while (reaped < 0 && errno == EINTR);
  return reaped == number;
}

static void dismiss(pid_t guard, int life) {
  kill(guard, SIGKILL);
  reap(guard, NULL);
  close(life);
}

// Both processes; their numbers, or -1 for the first that could not be made.
static void fork_both(
  const struct call *call, const int life[2], const int report[2], struct keyplan_program *program) {
  program->number = -1;
  program->guard = fork();
  if (program->guard == 0) guard(life[0]);
  if (program->guard < 0) return;
  program->number = fork();
  if (program->number != 0) return;
  struct keyplan_refusal refusal = become(call, life[1]);
  ssize_t written = write(report[1], &refusal, sizeof refusal);
  _exit(written < 0 ? 126 : 127);
}

struct keyplan_refusal keyplan_spawn(
  struct keyplan_program *program, const char *path, char *const arguments[], char *const variables[], const char *directory,
  struct keyplan_streams streams) {
  struct call call = {path, arguments, variables, directory, streams};
  struct keyplan_refusal refusal = {keyplan_step_preparation, 0};
  int life[2], report[2];
  if (keyplan_make_pipe(life) != 0) {
    refusal.number = errno;
    return refusal;
  }
  if (keyplan_make_pipe(report) != 0) {
    refusal.number = errno;
    close_pipe(life);
    return refusal;
  }
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  fork_both(&call, life, report, program);
  refusal.number = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(life[0]);
  close(report[1]);
  program->life = life[1];
  if (program->number > 0) {
    // The program's end of the pipe is closed by exec(3).
    ssize_t count;
    do count = read(report[0], &refusal, sizeof refusal);
    while (count < 0 && errno == EINTR);
    if (count != sizeof refusal) refusal = (struct keyplan_refusal){keyplan_step_started, 0};
    else reap(program->number, NULL);
  }
  close(report[0]);
  if (refusal.step == keyplan_step_started) return refusal;
  if (program->guard > 0) dismiss(program->guard, program->life);
  else close(program->life);
  return refusal;
}

int keyplan_has_ended(pid_t number) {
  siginfo_t information;
  memset(&information, 0, sizeof information);
  if (waitid(P_PID, (id_t)number, &information, WEXITED | WNOHANG | WNOWAIT) != 0) return errno == ECHILD;
  return information.si_pid != 0;
}

int keyplan_end_descriptor(pid_t number) {
#ifdef SYS_pidfd_open
  return (int)syscall(SYS_pidfd_open, number, 0);
#else
  (void)number;
  return -1;
#endif
}

struct keyplan_ending keyplan_end(struct keyplan_program program) {
  // First, because the number of the group is free once the program is forgotten and all its members are gone.
  kill(-program.number, SIGKILL);
  dismiss(program.guard, program.life);
  int status = 0;
  struct keyplan_ending ending = {-1, 0};
  if (!reap(program.number, &status)) return ending;
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  else ending.code = WEXITSTATUS(status);
  return ending;
}
