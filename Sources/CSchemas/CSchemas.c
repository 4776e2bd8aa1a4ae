// The schemas of schemas/, embedded unchanged. To add one, add its bytes and a line in the table.
#include "CSchemas.h"

// Clang supports `#embed` in every standard.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char apply[] = {
#embed "../../schemas/apply.schema.json"
};
static const unsigned char backendCheck[] = {
#embed "../../schemas/backendCheck.schema.json"
};
static const unsigned char backends[] = {
#embed "../../schemas/backends.schema.json"
};
static const unsigned char backup[] = {
#embed "../../schemas/backup.schema.json"
};
static const unsigned char calendarEvents[] = {
#embed "../../schemas/calendarEvents.schema.json"
};
static const unsigned char calendarList[] = {
#embed "../../schemas/calendarList.schema.json"
};
static const unsigned char calendarRefresh[] = {
#embed "../../schemas/calendarRefresh.schema.json"
};
static const unsigned char calendarStatus[] = {
#embed "../../schemas/calendarStatus.schema.json"
};
static const unsigned char ci[] = {
#embed "../../schemas/ci.schema.json"
};
static const unsigned char diagnostics[] = {
#embed "../../schemas/diagnostics.schema.json"
};
static const unsigned char doctor[] = {
#embed "../../schemas/doctor.schema.json"
};
static const unsigned char drift[] = {
#embed "../../schemas/drift.schema.json"
};
static const unsigned char environments[] = {
#embed "../../schemas/environments.schema.json"
};
static const unsigned char error[] = {
#embed "../../schemas/error.schema.json"
};
static const unsigned char events[] = {
#embed "../../schemas/events.schema.json"
};
static const unsigned char history[] = {
#embed "../../schemas/history.schema.json"
};
static const unsigned char identity[] = {
#embed "../../schemas/identity.schema.json"
};
static const unsigned char keys[] = {
#embed "../../schemas/keys.schema.json"
};
static const unsigned char manifest[] = {
#embed "../../schemas/keyplan.schema.json"
};
static const unsigned char plan[] = {
#embed "../../schemas/plan.schema.json"
};
static const unsigned char providers[] = {
#embed "../../schemas/providers.schema.json"
};
static const unsigned char report[] = {
#embed "../../schemas/report.schema.json"
};
static const unsigned char restore[] = {
#embed "../../schemas/restore.schema.json"
};
static const unsigned char show[] = {
#embed "../../schemas/show.schema.json"
};
static const unsigned char storeMove[] = {
#embed "../../schemas/storeMove.schema.json"
};
static const unsigned char unlock[] = {
#embed "../../schemas/unlock.schema.json"
};
static const unsigned char verify[] = {
#embed "../../schemas/verify.schema.json"
};
static const unsigned char version[] = {
#embed "../../schemas/version.schema.json"
};
static const unsigned char watch[] = {
#embed "../../schemas/watch.schema.json"
};

#define SCHEMA(name) {#name, name, sizeof name}

static const struct keyplan_schema schemas[] = {
  SCHEMA(apply),
  SCHEMA(backendCheck),
  SCHEMA(backends),
  SCHEMA(backup),
  SCHEMA(calendarEvents),
  SCHEMA(calendarList),
  SCHEMA(calendarRefresh),
  SCHEMA(calendarStatus),
  SCHEMA(ci),
  SCHEMA(diagnostics),
  SCHEMA(doctor),
  SCHEMA(drift),
  SCHEMA(environments),
  SCHEMA(error),
  SCHEMA(events),
  SCHEMA(history),
  SCHEMA(identity),
  SCHEMA(keys),
  SCHEMA(manifest),
  SCHEMA(plan),
  SCHEMA(providers),
  SCHEMA(report),
  SCHEMA(restore),
  SCHEMA(show),
  SCHEMA(storeMove),
  SCHEMA(unlock),
  SCHEMA(verify),
  SCHEMA(version),
  SCHEMA(watch),
};

const struct keyplan_schema *keyplan_schema(size_t index) {
  return index < sizeof schemas / sizeof *schemas ? &schemas[index] : NULL;
}
