#include "CProcess.h"

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
