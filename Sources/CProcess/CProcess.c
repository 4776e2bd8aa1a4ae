#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static int argument_count = -1;
static char *const *argument_values = NULL;

// Swift's `main` drops its arguments, and its library reads them from /proc/self/cmdline, which may be missing in a container.
// glibc and Apple's libc call constructors with the arguments of `main`; others pass none.
#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}
#endif

int keyplan_argument_count(void) { return argument_count; }

char *const *keyplan_arguments(void) { return argument_values; }

extern char **environ;

// Between fork(2) and exec(3) in a process with threads, only what is safe in a signal handler may be called.
static void become(const char *program, char *const arguments[], char **variables, struct keyplan_surroundings surroundings) {
  setpgid(0, 0);
  // All signals are blocked here, SIGTTOU among them.
  if (surroundings.terminal >= 0) tcsetpgrp(surroundings.terminal, getpgrp());
  for (int number = 1; number < NSIG; number++) {
    struct sigaction present;
    if (sigaction(number, NULL, &present) != 0) continue;
    // A handler of this process must not run in the other one. What was ignored at the start stays ignored.
    if (present.sa_handler != SIG_IGN || number == SIGPIPE || number == SIGXFSZ) signal(number, SIG_DFL);
  }
  umask(surroundings.mask);
  struct rlimit core = {surroundings.core_now, surroundings.core_highest};
  setrlimit(RLIMIT_CORE, &core);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  environ = variables;
  execvp(program, arguments);
}

pid_t keyplan_start(
  const char *program, char *const arguments[], char **variables, struct keyplan_surroundings surroundings) {
  int report[2];
  if (pipe(report) != 0) return -1;
  for (int end = 0; end < 2; end++) fcntl(report[end], F_SETFD, FD_CLOEXEC);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() == parent) become(program, arguments, variables, surroundings);
    int number = errno;
    ssize_t written = write(report[1], &number, sizeof number);
    _exit(written < 0 ? 126 : 127);
  }
  int number = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(report[1]);
  if (child > 0) {
    // In both processes, so that the group exists whichever is first.
    setpgid(child, child);
    ssize_t count;
    do count = read(report[0], &number, sizeof number);
    while (count < 0 && errno == EINTR);
    if (count == sizeof number) {
      keyplan_reap(child);
      child = -1;
    }
  }
  close(report[0]);
  errno = number;
  return child;
}

void keyplan_give_terminal(int terminal, pid_t group) {
  sigset_t output, before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);
  pthread_sigmask(SIG_BLOCK, &output, &before);
  tcsetpgrp(terminal, group);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct keyplan_progress keyplan_progress_of(pid_t process) {
  struct keyplan_progress progress = {0, 0, 0};
  siginfo_t information;
  memset(&information, 0, sizeof information);
  // A stop is taken note of at once, an end only by `keyplan_reap`.
  if (waitid(P_PID, (id_t)process, &information, WSTOPPED | WNOHANG) == 0 && information.si_pid != 0) {
    progress.stopped = 1;
    return progress;
  }
  memset(&information, 0, sizeof information);
  if (waitid(P_PID, (id_t)process, &information, WEXITED | WNOHANG | WNOWAIT) == 0 && information.si_pid != 0) {
    progress.ended = 1;
    progress.code = information.si_code == CLD_EXITED ? information.si_status : 128 + information.si_status;
  }
  return progress;
}

void keyplan_reap(pid_t process) {
  while (waitpid(process, NULL, 0) < 0 && errno == EINTR) continue;
}

#ifdef __linux__
// A signal of the keyboard reaches the child by itself: it is in the same process group. The end of a terminal is a signal to the first
// process of its session alone.
static int is_for_child(const siginfo_t *information) {
  return information->si_code != SI_KERNEL || information->si_signo == SIGHUP;
}
#endif

void keyplan_leave_first_process(void) {
#ifdef __linux__
  if (getpid() != 1) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child <= 0) {
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return;
  }
  for (;;) {
    siginfo_t information;
    int number = sigwaitinfo(&all, &information);
    if (number > 0 && number != SIGCHLD && is_for_child(&information)) kill(child, number);
    int status;
    pid_t ended;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended == child) _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
    }
  }
#endif
}

static void *pass_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

int keyplan_startable_threads(int count) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_t threads[count];
  int started = 0;
  pthread_mutex_lock(&gate);
  while (started < count && pthread_create(&threads[started], NULL, pass_gate, &gate) == 0) started++;
  pthread_mutex_unlock(&gate);
  for (int number = 0; number < started; number++) pthread_join(threads[number], NULL);
  return started;
}

int keyplan_processors(void) {
#ifdef __linux__
  cpu_set_t usable;
  if (sched_getaffinity(0, sizeof usable, &usable) == 0) return CPU_COUNT(&usable);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online < 1 ? 1 : (int)online;
}
