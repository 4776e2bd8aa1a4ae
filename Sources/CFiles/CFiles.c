#define _GNU_SOURCE
#include "CFiles.h"
#include <errno.h>
#include <stdio.h>

#if defined(__linux__)
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

int keyplan_rename(int directory, const char *old_name, const char *new_name, int exchanging) {
#if defined(__APPLE__)
  return renameatx_np(directory, old_name, directory, new_name, exchanging ? RENAME_SWAP : RENAME_EXCL);
#elif defined(__linux__)
  // Not by the C library's function of the same name: musl has none.
  return (int)syscall(
      SYS_renameat2, directory, old_name, directory, new_name, exchanging ? RENAME_EXCHANGE : RENAME_NOREPLACE);
#else
  (void)directory, (void)old_name, (void)new_name, (void)exchanging;
  errno = ENOSYS;
  return -1;
#endif
}
