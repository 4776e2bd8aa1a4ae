// Loads libpq on first use (nothing is linked). The parts of its interface that are used are declared here and in CPostgres.c,
// according to PostgreSQL's documentation, so that building needs no headers. They have been stable in libpq.so.5 since
// PostgreSQL 8.2, pipelines since 14.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads the library, once per process. Returns NULL on success, otherwise the loader's message.
const char *keyplan_pg_load(const char *file);
/// For example 150018. Requires the loaded library, as does everything below.
int keyplan_pg_library_version(void);

/// A connection, used by one thread at a time.
typedef struct pg_conn keyplan_pg;

/// Starts to connect. Notices are discarded and errors reduced to their SQLSTATE, since the server's texts can quote anything.
/// Keywords and values end with NULL. Returns NULL if memory is exhausted.
keyplan_pg *keyplan_pg_start(const char *const *keywords, const char *const *values);
void keyplan_pg_finish(keyplan_pg *connection);

typedef enum { KEYPLAN_PG_FAILED, KEYPLAN_PG_READING, KEYPLAN_PG_WRITING, KEYPLAN_PG_OK } keyplan_pg_progress;

/// Continues to connect, and returns what to wait for.
keyplan_pg_progress keyplan_pg_connect(keyplan_pg *connection);
int keyplan_pg_socket(const keyplan_pg *connection);
/// The last error; after a failure to connect, it may end with the server's SQLSTATE.
const char *keyplan_pg_message(const keyplan_pg *connection);
/// For example 150018.
int keyplan_pg_server_version(const keyplan_pg *connection);
/// The server process that was reported on connecting; a pooler reports a number of its own.
int keyplan_pg_server_process(const keyplan_pg *connection);
const char *keyplan_pg_user(const keyplan_pg *connection);
const char *keyplan_pg_database(const keyplan_pg *connection);
bool keyplan_pg_is_open(const keyplan_pg *connection);

/// A parameter in PostgreSQL's binary format; NULL bytes mean SQL's NULL.
typedef struct {
  uint32_t type;
  const char *bytes;
  int32_t count;
} keyplan_pg_parameter;

/// Appends a statement to the pipeline. Its results are in binary format.
bool keyplan_pg_send(
    keyplan_pg *connection, const char *sql, const keyplan_pg_parameter *parameters, size_t count);
/// Ends a group of statements that fail together, and starts to send.
bool keyplan_pg_sync(keyplan_pg *connection);
/// Continues to send. Returns whether it failed, must write more, or has sent everything (READING).
keyplan_pg_progress keyplan_pg_flush(keyplan_pg *connection);
/// Reads the available input.
bool keyplan_pg_consume(keyplan_pg *connection);
/// Whether `keyplan_pg_next` would block.
bool keyplan_pg_is_busy(keyplan_pg *connection);

typedef struct pg_result keyplan_pg_result;

typedef enum {
  /// No further result of this statement.
  KEYPLAN_PG_NONE,
  KEYPLAN_PG_ROWS,
  KEYPLAN_PG_DONE,
  /// An earlier statement of the group failed.
  KEYPLAN_PG_SKIPPED,
  /// The end of a group.
  KEYPLAN_PG_SYNCED,
  KEYPLAN_PG_ERROR,
} keyplan_pg_kind;

keyplan_pg_result *keyplan_pg_next(keyplan_pg *connection);
keyplan_pg_kind keyplan_pg_result_kind(const keyplan_pg_result *result);
/// Five characters; NULL if the connection failed without an error from the server.
const char *keyplan_pg_result_state(const keyplan_pg_result *result);
int keyplan_pg_result_rows(const keyplan_pg_result *result);
int keyplan_pg_result_columns(const keyplan_pg_result *result);
uint32_t keyplan_pg_result_type(const keyplan_pg_result *result, int column);
/// NULL for SQL's NULL. Valid until the result is freed.
const char *keyplan_pg_result_value(const keyplan_pg_result *result, int row, int column, int *count);
void keyplan_pg_result_free(keyplan_pg_result *result);

typedef struct pg_notify keyplan_pg_notice;

/// The next announcement (NOTIFY) that has arrived; NULL if there is none.
keyplan_pg_notice *keyplan_pg_next_notice(keyplan_pg *connection);
/// Valid until the notice is freed.
const char *keyplan_pg_notice_payload(const keyplan_pg_notice *notice);
void keyplan_pg_notice_free(keyplan_pg_notice *notice);
