// What Swift cannot do with libpq: load it on first use (nothing is linked). What of its interface is used is declared here and
// in CPostgres.c, from PostgreSQL's documentation, so that building needs no headers of it; libpq.so.5 has kept it since
// PostgreSQL 8.2, pipelines since 14.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Loads the library, once in the life of the process. NULL is success; otherwise what the loader said.
const char *keyplan_pg_load(const char *file);
/// Such as 150018. Needs the loaded library, as does everything below.
int keyplan_pg_library_version(void);

/// A connection. Not for two threads at once.
typedef struct pg_conn keyplan_pg;

/// Begins to connect, with binary notices thrown away and errors as SQLSTATE only: texts of the server can quote anything.
/// Keywords and values end with NULL. NULL is a lack of memory.
keyplan_pg *keyplan_pg_start(const char *const *keywords, const char *const *values);
void keyplan_pg_finish(keyplan_pg *connection);

typedef enum { KEYPLAN_PG_FAILED, KEYPLAN_PG_READING, KEYPLAN_PG_WRITING, KEYPLAN_PG_OK } keyplan_pg_progress;

/// What the connection waits for, on its way to being open.
keyplan_pg_progress keyplan_pg_connect(keyplan_pg *connection);
int keyplan_pg_socket(const keyplan_pg *connection);
/// The last error; for a connection that failed, it can end with the server's SQLSTATE.
const char *keyplan_pg_message(const keyplan_pg *connection);
/// Such as 150018.
int keyplan_pg_server_version(const keyplan_pg *connection);
/// The process that serves it, as it was told when it connected; a pooler tells a number of its own.
int keyplan_pg_server_process(const keyplan_pg *connection);
const char *keyplan_pg_user(const keyplan_pg *connection);
const char *keyplan_pg_database(const keyplan_pg *connection);
bool keyplan_pg_is_open(const keyplan_pg *connection);

/// A parameter in PostgreSQL's binary form; bytes NULL is SQL's NULL.
typedef struct {
  uint32_t type;
  const char *bytes;
  int32_t count;
} keyplan_pg_parameter;

/// Puts a statement behind the others of the pipeline. Its results come in binary form.
bool keyplan_pg_send(
    keyplan_pg *connection, const char *sql, const keyplan_pg_parameter *parameters, size_t count);
/// Ends the group of statements that fail together, and begins to send.
bool keyplan_pg_sync(keyplan_pg *connection);
/// Goes on sending: whether it failed, has more to write, or all is sent (READING).
keyplan_pg_progress keyplan_pg_flush(keyplan_pg *connection);
/// Takes in what has come.
bool keyplan_pg_consume(keyplan_pg *connection);
/// Whether `keyplan_pg_next` would wait.
bool keyplan_pg_is_busy(keyplan_pg *connection);

typedef struct pg_result keyplan_pg_result;

typedef enum {
  /// No result of this statement any more.
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
/// Five characters; NULL where the connection failed and the server said nothing.
const char *keyplan_pg_result_state(const keyplan_pg_result *result);
int keyplan_pg_result_rows(const keyplan_pg_result *result);
int keyplan_pg_result_columns(const keyplan_pg_result *result);
uint32_t keyplan_pg_result_type(const keyplan_pg_result *result, int column);
/// NULL for SQL's NULL. Good until the result is freed.
const char *keyplan_pg_result_value(const keyplan_pg_result *result, int row, int column, int *count);
void keyplan_pg_result_free(keyplan_pg_result *result);
