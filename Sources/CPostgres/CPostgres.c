#include "CPostgres.h"
#include <dlfcn.h>
#include <stdlib.h>

// Constants from libpq-fe.h, which are part of its interface.
enum { CONNECTION_OK = 0 };
enum { POLLING_FAILED = 0, POLLING_READING = 1, POLLING_WRITING = 2, POLLING_OK = 3 };
enum { COMMAND_OK = 1, TUPLES_OK = 2, PIPELINE_SYNC = 10, PIPELINE_ABORTED = 11 };
enum { ERRORS_SQLSTATE = 3 };
enum { DIAG_SQLSTATE = 'C' };
enum { BINARY = 1 };

// The library's functions, looked up by `keyplan_pg_load`.
static struct {
  int (*libVersion)(void);
  keyplan_pg *(*connectStartParams)(const char *const *, const char *const *, int);
  int (*connectPoll)(keyplan_pg *);
  void (*finish)(keyplan_pg *);
  int (*status)(const keyplan_pg *);
  int (*socket)(const keyplan_pg *);
  char *(*errorMessage)(const keyplan_pg *);
  int (*serverVersion)(const keyplan_pg *);
  int (*backendPID)(const keyplan_pg *);
  char *(*user)(const keyplan_pg *);
  char *(*db)(const keyplan_pg *);
  int (*setErrorVerbosity)(keyplan_pg *, int);
  void *(*setNoticeReceiver)(keyplan_pg *, void (*)(void *, const keyplan_pg_result *), void *);
  int (*setnonblocking)(keyplan_pg *, int);
  int (*enterPipelineMode)(keyplan_pg *);
  int (*pipelineSync)(keyplan_pg *);
  int (*sendQueryParams)(
      keyplan_pg *, const char *, int, const uint32_t *, const char *const *, const int *, const int *, int);
  int (*flush)(keyplan_pg *);
  int (*consumeInput)(keyplan_pg *);
  int (*isBusy)(keyplan_pg *);
  keyplan_pg_result *(*getResult)(keyplan_pg *);
  int (*resultStatus)(const keyplan_pg_result *);
  char *(*resultErrorField)(const keyplan_pg_result *, int);
  int (*ntuples)(const keyplan_pg_result *);
  int (*nfields)(const keyplan_pg_result *);
  uint32_t (*ftype)(const keyplan_pg_result *, int);
  char *(*getvalue)(const keyplan_pg_result *, int, int);
  int (*getlength)(const keyplan_pg_result *, int, int);
  int (*getisnull)(const keyplan_pg_result *, int, int);
  void (*clear)(keyplan_pg_result *);
  keyplan_pg_notice *(*notifies)(keyplan_pg *);
  void (*freemem)(void *);
} lib;

// PGnotify of libpq-fe.h, up to the last member that is for programs.
struct pg_notify {
  char *channel;
  int process;
  char *payload;
};

const char *keyplan_pg_load(const char *file) {
  void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
#define FIND(name) \
  if (!(lib.name = (__typeof__(lib.name))dlsym(library, "PQ" #name))) return dlerror()
  FIND(libVersion);
  FIND(connectStartParams);
  FIND(connectPoll);
  FIND(finish);
  FIND(status);
  FIND(socket);
  FIND(errorMessage);
  FIND(serverVersion);
  FIND(backendPID);
  FIND(user);
  FIND(db);
  FIND(setErrorVerbosity);
  FIND(setNoticeReceiver);
  FIND(setnonblocking);
  FIND(enterPipelineMode);
  FIND(pipelineSync);
  FIND(sendQueryParams);
  FIND(flush);
  FIND(consumeInput);
  FIND(isBusy);
  FIND(getResult);
  FIND(resultStatus);
  FIND(resultErrorField);
  FIND(ntuples);
  FIND(nfields);
  FIND(ftype);
  FIND(getvalue);
  FIND(getlength);
  FIND(getisnull);
  FIND(clear);
  FIND(notifies);
  FIND(freemem);
#undef FIND
  return NULL;
}

int keyplan_pg_library_version(void) { return lib.libVersion(); }

static void drop_notice(void *context, const keyplan_pg_result *result) {}

keyplan_pg *keyplan_pg_start(const char *const *keywords, const char *const *values) {
  keyplan_pg *connection = lib.connectStartParams(keywords, values, 0);
  if (!connection) return NULL;
  lib.setErrorVerbosity(connection, ERRORS_SQLSTATE);
  lib.setNoticeReceiver(connection, drop_notice, NULL);
  return connection;
}

void keyplan_pg_finish(keyplan_pg *connection) { lib.finish(connection); }

keyplan_pg_progress keyplan_pg_connect(keyplan_pg *connection) {
  switch (lib.connectPoll(connection)) {
  case POLLING_READING: return KEYPLAN_PG_READING;
  case POLLING_WRITING: return KEYPLAN_PG_WRITING;
  case POLLING_OK:
    if (lib.setnonblocking(connection, 1) == 0 && lib.enterPipelineMode(connection)) return KEYPLAN_PG_OK;
    return KEYPLAN_PG_FAILED;
  default: return KEYPLAN_PG_FAILED;
  }
}

int keyplan_pg_socket(const keyplan_pg *connection) { return lib.socket(connection); }
const char *keyplan_pg_message(const keyplan_pg *connection) { return lib.errorMessage(connection); }
int keyplan_pg_server_version(const keyplan_pg *connection) { return lib.serverVersion(connection); }
int keyplan_pg_server_process(const keyplan_pg *connection) { return lib.backendPID(connection); }
const char *keyplan_pg_user(const keyplan_pg *connection) { return lib.user(connection); }
const char *keyplan_pg_database(const keyplan_pg *connection) { return lib.db(connection); }
bool keyplan_pg_is_open(const keyplan_pg *connection) { return lib.status(connection) == CONNECTION_OK; }

bool keyplan_pg_send(
    keyplan_pg *connection, const char *sql, const keyplan_pg_parameter *parameters, size_t count) {
  enum { LIMIT = 32 };
  uint32_t types[LIMIT];
  const char *values[LIMIT];
  int lengths[LIMIT], formats[LIMIT];
  if (count > LIMIT) return false;
  for (size_t index = 0; index < count; index++) {
    types[index] = parameters[index].type;
    values[index] = parameters[index].bytes;
    lengths[index] = parameters[index].count;
    formats[index] = BINARY;
  }
  return lib.sendQueryParams(connection, sql, (int)count, types, values, lengths, formats, BINARY);
}

bool keyplan_pg_sync(keyplan_pg *connection) { return lib.pipelineSync(connection); }

keyplan_pg_progress keyplan_pg_flush(keyplan_pg *connection) {
  switch (lib.flush(connection)) {
  case 0: return KEYPLAN_PG_READING;
  case 1: return KEYPLAN_PG_WRITING;
  default: return KEYPLAN_PG_FAILED;
  }
}

bool keyplan_pg_consume(keyplan_pg *connection) { return lib.consumeInput(connection); }
bool keyplan_pg_is_busy(keyplan_pg *connection) { return lib.isBusy(connection); }
keyplan_pg_result *keyplan_pg_next(keyplan_pg *connection) { return lib.getResult(connection); }

keyplan_pg_kind keyplan_pg_result_kind(const keyplan_pg_result *result) {
  if (!result) return KEYPLAN_PG_NONE;
  switch (lib.resultStatus(result)) {
  case COMMAND_OK: return KEYPLAN_PG_DONE;
  case TUPLES_OK: return KEYPLAN_PG_ROWS;
  case PIPELINE_SYNC: return KEYPLAN_PG_SYNCED;
  case PIPELINE_ABORTED: return KEYPLAN_PG_SKIPPED;
  default: return KEYPLAN_PG_ERROR;
  }
}

const char *keyplan_pg_result_state(const keyplan_pg_result *result) {
  return lib.resultErrorField(result, DIAG_SQLSTATE);
}

int keyplan_pg_result_rows(const keyplan_pg_result *result) { return lib.ntuples(result); }
int keyplan_pg_result_columns(const keyplan_pg_result *result) { return lib.nfields(result); }
uint32_t keyplan_pg_result_type(const keyplan_pg_result *result, int column) { return lib.ftype(result, column); }

const char *keyplan_pg_result_value(const keyplan_pg_result *result, int row, int column, int *count) {
  if (lib.getisnull(result, row, column)) return NULL;
  *count = lib.getlength(result, row, column);
  return lib.getvalue(result, row, column);
}

void keyplan_pg_result_free(keyplan_pg_result *result) { lib.clear(result); }

keyplan_pg_notice *keyplan_pg_next_notice(keyplan_pg *connection) { return lib.notifies(connection); }
const char *keyplan_pg_notice_payload(const keyplan_pg_notice *notice) { return notice->payload; }
void keyplan_pg_notice_free(keyplan_pg_notice *notice) { lib.freemem(notice); }
