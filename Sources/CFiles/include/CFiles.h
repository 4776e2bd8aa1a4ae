// Renaming files with conditions, which the Swift modules of the C libraries do not export.
#pragma once

/// Renames a file in a directory.
/// - flag exchanging: the two names exchange their files. Otherwise nothing may have the new name.
/// - returns 0, or -1 with errno: EINVAL, ENOSYS or EOPNOTSUPP where the system or the file system cannot do that.
int keyplan_rename(int directory, const char *old_name, const char *new_name, int exchanging);
