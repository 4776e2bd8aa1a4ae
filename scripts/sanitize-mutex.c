// What ThreadSanitizer has to know of Swift's Mutex on Linux, for LD_PRELOAD: the slow halves of its lock are in a library that is
// not instrumented, so that whoever waited for the lock seems not to have. The fast halves are compiled into the program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlock_slow(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
  SWIFT void (*next)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
  next(thread, mutex);
  __tsan_acquire(mutex);
}

SWIFT void unlock_slow(SELF void *mutex) {
  SWIFT void (*next)(SELF void *) = dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
  __tsan_release(mutex);
  next(mutex);
}
