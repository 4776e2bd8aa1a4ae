#include "CProcess.h"

static int argument_count = -1;
static char *const *argument_values = NULL;

// Swift's `main` drops its arguments, and its library reads them from /proc/self/cmdline, which a container need not have.
// glibc and Apple's libc call a constructor with the same arguments as `main`; others call it with none.
#if defined(__GLIBC__) || defined(__APPLE__)
__attribute__((constructor)) static void keep_arguments(int count, char **values) {
  argument_count = count;
  argument_values = values;
}
#endif

int keyplan_argument_count(void) { return argument_count; }

char *const *keyplan_arguments(void) { return argument_values; }
