// Two functions that the runtimes of Swift and C++ take from glibc, and that glibc has only since 2.36 and 2.35. They are the only ones later
// than 2.34, so a program with its own runs on the systems of 2021 as well. The linker takes these before it looks into a library;
// they are hidden, so that no library uses them.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// Any header of glibc defines this.
#ifdef __GLIBC__

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN uint32_t arc4random(void);
HIDDEN float hypotf(float x, float y);

// Cannot report an error, so that no random number is ever made up.
uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}

// The square of a float is exact in a double and cannot overflow there.
float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) return INFINITY;
  return (float)sqrt((double)x * x + (double)y * y);
}

#endif
