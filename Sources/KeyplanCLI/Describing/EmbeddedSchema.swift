// Made by scripts/embed-schemas.py from schemas/: edit those.
// swift-format-ignore-file

/// The JSON schemas of what keyplan reads and writes.
enum EmbeddedSchema: String, CaseIterable, Sendable {
  case apply, calendarEvents, calendarList, calendarRefresh, calendarStatus, diagnostics, doctor, drift, error, events, history, identity, keys, manifest, plan, show, storeMove, unlock

  /// The schema, as it stands in `schemas/`.
  var text: StaticString {
    switch self {
    case .apply:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan apply",
  "description": "What `keyplan apply --json` writes: what became of each step of the plan, in the plan's order.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "environment": {
          "description": "The environment; absent for the one without a name.",
          "type": "string"
        },
        "store": {
          "$ref": "#/$defs/store"
        },
        "id": {
          "description": "The id of the plan.",
          "type": "string",
          "pattern": "^kp1-[a-z0-9]{26}$"
        },
        "steps": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/step"
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "done": {
              "description": "Steps that are done and recorded.",
              "type": "integer",
              "minimum": 0
            },
            "failed": {
              "description": "Steps that failed; nothing of them is left behind.",
              "type": "integer",
              "minimum": 0
            },
            "stale": {
              "description": "Steps whose ground had moved since the plan was made.",
              "type": "integer",
              "minimum": 0
            },
            "notTried": {
              "description": "Steps that waited for another one, or came after an interrupt.",
              "type": "integer",
              "minimum": 0
            },
            "errors": {
              "description": "Diagnostics that are errors.",
              "type": "integer",
              "minimum": 0
            },
            "warnings": {
              "description": "Diagnostics that are warnings.",
              "type": "integer",
              "minimum": 0
            },
            "isHeldBack": {
              "description": "Whether an error holds the whole plan back.",
              "type": "boolean"
            },
            "needsPerson": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "done",
            "failed",
            "stale",
            "notTried",
            "errors",
            "warnings",
            "isHeldBack",
            "needsPerson"
          ],
          "additionalProperties": false
        },
        "diagnostics": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/diagnostic"
          }
        }
      },
      "required": [
        "formatVersion",
        "steps",
        "summary",
        "diagnostics"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "address": {
      "description": "What people type: key.NAME, active.SLOT, target.NAME, target.NAME.ENTRY, calendar.NAME, recipients, rules, store, surface.KIND TEXT, migration.NUMBER.",
      "type": "string",
      "pattern": "^(recipients|rules|store|(key|active|target|calendar|surface|migration)\\..+)$"
    },
    "store": {
      "description": "The store as the plan found it.",
      "type": "object",
      "properties": {
        "id": {
          "description": "Made at init, never changes.",
          "type": "string"
        },
        "serial": {
          "description": "Counts commits.",
          "type": "integer",
          "minimum": 0
        },
        "epoch": {
          "description": "Counts root keys.",
          "type": "integer",
          "minimum": 0
        },
        "appliedAt": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "id",
        "serial",
        "epoch"
      ],
      "additionalProperties": false
    },
    "diagnostic": {
      "description": "Something a person must know. Holds no value.",
      "type": "object",
      "properties": {
        "severity": {
          "enum": [
            "error",
            "warning"
          ]
        },
        "code": {
          "description": "Stable; programs may match on it.",
          "enum": [
            "yamlInvalid",
            "unknownField",
            "duplicateField",
            "wrongType",
            "missingField",
            "invalidValue",
            "undeclaredName",
            "invalidReference",
            "secretInManifest",
            "conflict",
            "questionable",
            "protectedFile",
            "targetTracked",
            "secretNotFound",
            "noValueYet",
            "sourceUnreachable",
            "sourceUnreadable",
            "sourceNotAsked",
            "sourceMissing",
            "targetUnreachable",
            "targetUnreadable",
            "targetNotWritable",
            "targetWriteOnly",
            "targetNotCompared",
            "targetTaken",
            "targetExposed",
            "targetInPipeline",
            "changedByOthers",
            "noUsableKey",
            "lastKeyKept",
            "expiresSoon",
            "expired",
            "pastItsEnd",
            "unexpectedFormat",
            "valueReturned",
            "valueRejected",
            "forgetLimit",
            "keyProtected",
            "recipientsRefused",
            "moveRefused",
            "removalRefused",
            "ruleBroken",
            "probablyMoved",
            "stillDeclared",
            "notDeclared",
            "stillHeld",
            "accountUnreachable",
            "accountRefused",
            "accountNotAllowed",
            "calendarMissing",
            "calendarUnclear",
            "calendarRenamed",
            "accountNotAsked",
            "signInEndsSoon",
            "signInExpired",
            "notSupported"
          ]
        },
        "summary": {
          "description": "The same words for the same code.",
          "type": "string"
        },
        "detail": {
          "description": "Whole sentences about this case.",
          "type": "string"
        },
        "hint": {
          "description": "What to do.",
          "type": "string"
        },
        "place": {
          "$ref": "#/$defs/place"
        },
        "address": {
          "$ref": "#/$defs/address"
        },
        "failure": {
          "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
          "enum": [
            "denied",
            "unauthenticated",
            "throttled",
            "sealed",
            "unreachable",
            "unreadable"
          ]
        },
        "blocks": {
          "description": "What an error holds back: the whole run, or its own address and what depends on it. Absent for warnings.",
          "enum": [
            "everything",
            "itself"
          ]
        }
      },
      "required": [
        "severity",
        "code",
        "summary",
        "detail"
      ],
      "additionalProperties": false
    },
    "place": {
      "description": "A place in a file.",
      "type": "object",
      "properties": {
        "file": {
          "type": "string"
        },
        "line": {
          "type": "integer",
          "minimum": 1
        },
        "column": {
          "description": "In code points.",
          "type": "integer",
          "minimum": 1
        },
        "width": {
          "description": "How many code points are meant.",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file",
        "line",
        "column",
        "width"
      ],
      "additionalProperties": false
    },
    "step": {
      "type": "object",
      "properties": {
        "address": {
          "$ref": "#/$defs/address"
        },
        "action": {
          "enum": [
            "allow",
            "disallow",
            "guard",
            "upgrade",
            "rewrap",
            "move",
            "remove",
            "adopt",
            "store",
            "replace",
            "update",
            "activate",
            "deactivate",
            "sync",
            "withdraw",
            "settle",
            "retire",
            "forget",
            "rollback",
            "restore",
            "accept",
            "authorize",
            "adoptToken",
            "refresh",
            "select",
            "signOut"
          ]
        },
        "result": {
          "enum": [
            "done",
            "failed",
            "stale",
            "notTried",
            "needsPerson"
          ]
        },
        "reason": {
          "description": "Why it is not done; absent where it is.",
          "type": "string"
        },
        "failure": {
          "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
          "enum": [
            "denied",
            "unauthenticated",
            "throttled",
            "sealed",
            "unreachable",
            "unreadable"
          ]
        },
        "note": {
          "description": "What a person must know although it is done.",
          "type": "string"
        }
      },
      "required": [
        "address",
        "action",
        "result"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .calendarEvents:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan calendar events",
  "description": "What `keyplan calendar events --json` writes: what lies in a time, in order; recurring events as their instances.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "account": {
          "$ref": "#/$defs/name"
        },
        "calendar": {
          "type": "object",
          "properties": {
            "id": {
              "type": "string"
            },
            "name": {
              "type": "string"
            }
          },
          "required": [
            "id",
            "name"
          ],
          "additionalProperties": false
        },
        "from": {
          "$ref": "#/$defs/time"
        },
        "to": {
          "$ref": "#/$defs/time"
        },
        "events": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "id": {
                "description": "The service's own name for it, or for the instance.",
                "type": "string"
              },
              "title": {
                "description": "Anybody's words; absent where the account may not see it.",
                "type": "string"
              },
              "location": {
                "description": "Anybody's words.",
                "type": "string"
              },
              "isAllDay": {
                "type": "boolean"
              },
              "start": {
                "$ref": "#/$defs/when"
              },
              "end": {
                "description": "Of whole days, the first one that is free again.",
                "$ref": "#/$defs/when"
              },
              "zone": {
                "description": "The zone it was entered in, by the name that the service has for it.",
                "type": "string"
              }
            },
            "required": [
              "id",
              "isAllDay",
              "start",
              "end"
            ],
            "additionalProperties": false
          }
        },
        "unreadable": {
          "description": "How many more the service gave that could not be read.",
          "type": "integer",
          "minimum": 0
        },
        "isWhole": {
          "description": "With --changes: whether the events are all that there is, so that whatever else was kept is gone.",
          "type": "boolean"
        },
        "removed": {
          "description": "With --changes: the ids of events that are gone.",
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      },
      "required": [
        "formatVersion",
        "account",
        "calendar",
        "from",
        "to",
        "events",
        "unreadable"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "when": {
      "description": "One of three: a moment, a day, or what a clock shows in the event's zone, where the service tells no more.",
      "oneOf": [
        {
          "type": "object",
          "properties": {
            "utc": {
              "$ref": "#/$defs/time"
            }
          },
          "required": [
            "utc"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "day": {
              "type": "string",
              "pattern": "^\\d{4}-\\d{2}-\\d{2}$"
            }
          },
          "required": [
            "day"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "clock": {
              "type": "string",
              "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$"
            }
          },
          "required": [
            "clock"
          ],
          "additionalProperties": false
        }
      ]
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .calendarList:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan calendar list",
  "description": "What `keyplan calendar list --json` writes: the calendars of an account, in the service's order.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "account": {
          "$ref": "#/$defs/name"
        },
        "calendars": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "id": {
                "description": "The service's own name for it, which the manifest can name.",
                "type": "string"
              },
              "name": {
                "description": "What the person calls it: anybody's words.",
                "type": "string"
              },
              "isPrimary": {
                "type": "boolean"
              },
              "isWritable": {
                "description": "Whether the account may change its events.",
                "type": "boolean"
              },
              "isUsed": {
                "description": "Whether it is the one that the account uses.",
                "type": "boolean"
              }
            },
            "required": [
              "id",
              "name",
              "isPrimary",
              "isWritable",
              "isUsed"
            ],
            "additionalProperties": false
          }
        }
      },
      "required": [
        "formatVersion",
        "account",
        "calendars"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .calendarRefresh:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan calendar refresh",
  "description": "What `keyplan calendar refresh --json` writes: what became of each account. No token is in it.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "accounts": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "$ref": "#/$defs/name"
              },
              "result": {
                "description": "`fresh` was good for some time yet, and was not asked for.",
                "enum": [
                  "refreshed",
                  "fresh",
                  "personNeeded",
                  "unreachable",
                  "locked",
                  "failed"
                ]
              },
              "reason": {
                "description": "Why there is no new token.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "unreachableSince": {
                "$ref": "#/$defs/time"
              },
              "countsFrom": {
                "description": "With --unreachable-after: until then this is no failure.",
                "$ref": "#/$defs/time"
              }
            },
            "required": [
              "name",
              "result"
            ],
            "additionalProperties": false
          }
        }
      },
      "required": [
        "formatVersion",
        "accounts"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .calendarStatus:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan calendar status",
  "description": "What `keyplan calendar status --json` writes: how each declared account stands, by name. No token is in it.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "environment": {
          "description": "The environment; absent for the one without a name.",
          "type": "string"
        },
        "store": {
          "$ref": "#/$defs/store"
        },
        "accounts": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "$ref": "#/$defs/name"
              },
              "service": {
                "enum": [
                  "google",
                  "outlook",
                  "caldav"
                ]
              },
              "account": {
                "description": "The account's name at the service.",
                "type": "string"
              },
              "state": {
                "description": "`granted` only where the service has answered; `expired` needs nobody; `tokenRefused`: whether somebody is needed is known after a refresh.",
                "enum": [
                  "granted",
                  "expired",
                  "tokenRefused",
                  "needsSignIn",
                  "partlyGranted",
                  "passwordRefused",
                  "noCalendarSelected",
                  "calendarAmbiguous",
                  "calendarNotFound",
                  "unreachable",
                  "notAllowed",
                  "secretNotFound",
                  "heldBack"
                ]
              },
              "reason": {
                "description": "Why, for people.",
                "type": "string"
              },
              "next": {
                "type": "object",
                "properties": {
                  "action": {
                    "description": "What to do next.",
                    "enum": [
                      "nothing",
                      "refresh",
                      "signIn",
                      "select",
                      "wait",
                      "configure",
                      "password",
                      "allow"
                    ]
                  },
                  "command": {
                    "description": "The command that does it, where there is one.",
                    "type": "string"
                  },
                  "hint": {
                    "description": "What else helps.",
                    "type": "string"
                  }
                },
                "required": [
                  "action"
                ],
                "additionalProperties": false
              },
              "calendar": {
                "$ref": "#/$defs/calendar"
              },
              "tokenUntil": {
                "$ref": "#/$defs/time"
              },
              "signedInAt": {
                "$ref": "#/$defs/time"
              },
              "refreshedAt": {
                "$ref": "#/$defs/time"
              },
              "signInEndsAt": {
                "$ref": "#/$defs/time"
              },
              "signInEndsBecause": {
                "description": "Why the sign-in will end by itself.",
                "enum": [
                  "testing",
                  "unused",
                  "granted"
                ]
              }
            },
            "required": [
              "name",
              "service",
              "account",
              "state",
              "reason",
              "next"
            ],
            "additionalProperties": false
          }
        }
      },
      "required": [
        "formatVersion",
        "accounts"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "store": {
      "description": "The store that was looked at; absent while there is none.",
      "type": "object",
      "properties": {
        "id": {
          "description": "Made at init, never changes.",
          "type": "string"
        },
        "serial": {
          "description": "Counts commits.",
          "type": "integer",
          "minimum": 0
        },
        "epoch": {
          "description": "Counts root keys.",
          "type": "integer",
          "minimum": 0
        },
        "appliedAt": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "id",
        "serial",
        "epoch"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    },
    "calendar": {
      "type": "object",
      "description": "A calendar of an account.",
      "properties": {
        "id": {
          "description": "The service's own name for it, which stays when it is renamed.",
          "type": "string"
        },
        "name": {
          "description": "What the person calls it: anybody's words.",
          "type": "string"
        },
        "isPrimary": {
          "type": "boolean"
        }
      },
      "required": [
        "id",
        "name",
        "isPrimary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .diagnostics:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan validate",
  "description": "What `keyplan validate --json` writes. Errors stand first.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "diagnostics": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/diagnostic"
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 0
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "address": {
      "description": "What people type: key.NAME, active.SLOT, target.NAME, target.NAME.ENTRY, calendar.NAME, recipients, rules, store, surface.KIND TEXT, migration.NUMBER.",
      "type": "string",
      "pattern": "^(recipients|rules|store|(key|active|target|calendar|surface|migration)\\..+)$"
    },
    "diagnostic": {
      "description": "Something a person must know. Holds no value.",
      "type": "object",
      "properties": {
        "severity": {
          "enum": [
            "error",
            "warning"
          ]
        },
        "code": {
          "description": "Stable; programs may match on it.",
          "enum": [
            "yamlInvalid",
            "unknownField",
            "duplicateField",
            "wrongType",
            "missingField",
            "invalidValue",
            "undeclaredName",
            "invalidReference",
            "secretInManifest",
            "conflict",
            "questionable",
            "protectedFile",
            "targetTracked",
            "secretNotFound",
            "noValueYet",
            "sourceUnreachable",
            "sourceUnreadable",
            "sourceNotAsked",
            "sourceMissing",
            "targetUnreachable",
            "targetUnreadable",
            "targetNotWritable",
            "targetWriteOnly",
            "targetNotCompared",
            "targetTaken",
            "targetExposed",
            "targetInPipeline",
            "changedByOthers",
            "noUsableKey",
            "lastKeyKept",
            "expiresSoon",
            "expired",
            "pastItsEnd",
            "unexpectedFormat",
            "valueReturned",
            "valueRejected",
            "forgetLimit",
            "keyProtected",
            "recipientsRefused",
            "moveRefused",
            "removalRefused",
            "ruleBroken",
            "probablyMoved",
            "stillDeclared",
            "notDeclared",
            "stillHeld",
            "accountUnreachable",
            "accountRefused",
            "accountNotAllowed",
            "calendarMissing",
            "calendarUnclear",
            "calendarRenamed",
            "accountNotAsked",
            "signInEndsSoon",
            "signInExpired",
            "notSupported"
          ]
        },
        "summary": {
          "description": "The same words for the same code.",
          "type": "string"
        },
        "detail": {
          "description": "Whole sentences about this case.",
          "type": "string"
        },
        "hint": {
          "description": "What to do.",
          "type": "string"
        },
        "place": {
          "$ref": "#/$defs/place"
        },
        "address": {
          "$ref": "#/$defs/address"
        },
        "failure": {
          "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
          "enum": [
            "denied",
            "unauthenticated",
            "throttled",
            "sealed",
            "unreachable",
            "unreadable"
          ]
        },
        "blocks": {
          "description": "What an error holds back: the whole run, or its own address and what depends on it. Absent for warnings.",
          "enum": [
            "everything",
            "itself"
          ]
        }
      },
      "required": [
        "severity",
        "code",
        "summary",
        "detail"
      ],
      "additionalProperties": false
    },
    "place": {
      "description": "A place in a file.",
      "type": "object",
      "properties": {
        "file": {
          "type": "string"
        },
        "line": {
          "type": "integer",
          "minimum": 1
        },
        "column": {
          "description": "In code points.",
          "type": "integer",
          "minimum": 1
        },
        "width": {
          "description": "How many code points are meant.",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file",
        "line",
        "column",
        "width"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .doctor:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan doctor",
  "description": "What `keyplan doctor --json` writes, in the order in which it looks.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "checks": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "subject": {
                "description": "What was looked at. Several findings may have the same subject.",
                "enum": [
                  "manifest",
                  "identity",
                  "store",
                  "pin",
                  "recovery",
                  "clock",
                  "ignored",
                  "folder",
                  "targets",
                  "commands",
                  "libraries"
                ]
              },
              "level": {
                "enum": [
                  "ok",
                  "warning",
                  "error"
                ]
              },
              "detail": {
                "description": "What is so, for people.",
                "type": "string"
              },
              "hint": {
                "description": "What to do about it, for people.",
                "type": "string"
              }
            },
            "required": [
              "subject",
              "level",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "ok": {
              "type": "integer",
              "minimum": 0
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            },
            "errors": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "ok",
            "warnings",
            "errors"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "checks",
        "summary"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .drift:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan drift",
  "description": "What `keyplan drift --json` writes. The most urgent finding stands first.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "environment": {
          "description": "The environment; absent for the one without a name.",
          "type": "string"
        },
        "store": {
          "$ref": "#/$defs/store"
        },
        "findings": {
          "description": "What counts.",
          "type": "array",
          "items": {
            "$ref": "#/$defs/finding"
          }
        },
        "leftOut": {
          "description": "What was found and does not count; absent where there is nothing of it.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "finding": {
                "$ref": "#/$defs/finding"
              },
              "diagnostic": {
                "description": "What could not be reached, in the place of a finding.",
                "$ref": "#/$defs/diagnostic"
              },
              "by": {
                "description": "The option that leaves it out.",
                "enum": [
                  "ignore",
                  "since",
                  "baseline",
                  "unreachable-after"
                ]
              },
              "since": {
                "description": "Since when it has not been reached.",
                "$ref": "#/$defs/time"
              },
              "until": {
                "description": "Until when the baseline knows it, or it may stay unreachable.",
                "$ref": "#/$defs/time"
              }
            },
            "required": [
              "by"
            ],
            "oneOf": [
              {
                "required": [
                  "finding"
                ]
              },
              {
                "required": [
                  "diagnostic",
                  "since",
                  "until"
                ]
              }
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "broken": {
              "type": "integer",
              "minimum": 0
            },
            "pending": {
              "type": "integer",
              "minimum": 0
            },
            "soon": {
              "type": "integer",
              "minimum": 0
            },
            "errors": {
              "type": "integer",
              "minimum": 0
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "broken",
            "pending",
            "soon",
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        },
        "diagnostics": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/diagnostic"
          }
        }
      },
      "required": [
        "formatVersion",
        "findings",
        "summary",
        "diagnostics"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "finding": {
      "type": "object",
      "properties": {
        "level": {
          "enum": [
            "broken",
            "pending",
            "soon"
          ]
        },
        "kind": {
          "enum": [
            "targetChanged",
            "targetMissing",
            "targetRewritten",
            "targetExposed",
            "sourceChanged",
            "sourceMissing",
            "interrupted",
            "expired",
            "expiresSoon",
            "lastKeyKept",
            "slotWithoutKey",
            "valueRejected",
            "originalLeft",
            "signInEnded",
            "testingEnded",
            "otherAccount",
            "scopesReduced",
            "tokenRefused",
            "passwordRefused",
            "rotationLost",
            "signInEndsSoon",
            "signInUnused",
            "signInTooOld",
            "calendarGone",
            "calendarRenamed",
            "calendarMisnamed",
            "calendarChanged",
            "calendarUnclear"
          ]
        },
        "address": {
          "$ref": "#/$defs/address"
        },
        "since": {
          "description": "When it was last seen as recorded, or since when it is so.",
          "$ref": "#/$defs/time"
        },
        "detail": {
          "description": "A place or a sentence about this case.",
          "type": "string"
        }
      },
      "required": [
        "level",
        "kind",
        "address"
      ],
      "additionalProperties": false
    },
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "address": {
      "description": "What people type: key.NAME, active.SLOT, target.NAME, target.NAME.ENTRY, calendar.NAME, recipients, rules, store, surface.KIND TEXT, migration.NUMBER.",
      "type": "string",
      "pattern": "^(recipients|rules|store|(key|active|target|calendar|surface|migration)\\..+)$"
    },
    "store": {
      "description": "The store that was looked at; absent while there is none.",
      "type": "object",
      "properties": {
        "id": {
          "description": "Made at init, never changes.",
          "type": "string"
        },
        "serial": {
          "description": "Counts commits.",
          "type": "integer",
          "minimum": 0
        },
        "epoch": {
          "description": "Counts root keys.",
          "type": "integer",
          "minimum": 0
        },
        "appliedAt": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "id",
        "serial",
        "epoch"
      ],
      "additionalProperties": false
    },
    "diagnostic": {
      "description": "Something a person must know. Holds no value.",
      "type": "object",
      "properties": {
        "severity": {
          "enum": [
            "error",
            "warning"
          ]
        },
        "code": {
          "description": "Stable; programs may match on it.",
          "enum": [
            "yamlInvalid",
            "unknownField",
            "duplicateField",
            "wrongType",
            "missingField",
            "invalidValue",
            "undeclaredName",
            "invalidReference",
            "secretInManifest",
            "conflict",
            "questionable",
            "protectedFile",
            "targetTracked",
            "secretNotFound",
            "noValueYet",
            "sourceUnreachable",
            "sourceUnreadable",
            "sourceNotAsked",
            "sourceMissing",
            "targetUnreachable",
            "targetUnreadable",
            "targetNotWritable",
            "targetWriteOnly",
            "targetNotCompared",
            "targetTaken",
            "targetExposed",
            "targetInPipeline",
            "changedByOthers",
            "noUsableKey",
            "lastKeyKept",
            "expiresSoon",
            "expired",
            "pastItsEnd",
            "unexpectedFormat",
            "valueReturned",
            "valueRejected",
            "forgetLimit",
            "keyProtected",
            "recipientsRefused",
            "moveRefused",
            "removalRefused",
            "ruleBroken",
            "probablyMoved",
            "stillDeclared",
            "notDeclared",
            "stillHeld",
            "accountUnreachable",
            "accountRefused",
            "accountNotAllowed",
            "calendarMissing",
            "calendarUnclear",
            "calendarRenamed",
            "accountNotAsked",
            "signInEndsSoon",
            "signInExpired",
            "notSupported"
          ]
        },
        "summary": {
          "description": "The same words for the same code.",
          "type": "string"
        },
        "detail": {
          "description": "Whole sentences about this case.",
          "type": "string"
        },
        "hint": {
          "description": "What to do.",
          "type": "string"
        },
        "place": {
          "$ref": "#/$defs/place"
        },
        "address": {
          "$ref": "#/$defs/address"
        },
        "failure": {
          "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
          "enum": [
            "denied",
            "unauthenticated",
            "throttled",
            "sealed",
            "unreachable",
            "unreadable"
          ]
        },
        "blocks": {
          "description": "What an error holds back: the whole run, or its own address and what depends on it. Absent for warnings.",
          "enum": [
            "everything",
            "itself"
          ]
        }
      },
      "required": [
        "severity",
        "code",
        "summary",
        "detail"
      ],
      "additionalProperties": false
    },
    "place": {
      "description": "A place in a file.",
      "type": "object",
      "properties": {
        "file": {
          "type": "string"
        },
        "line": {
          "type": "integer",
          "minimum": 1
        },
        "column": {
          "description": "In code points.",
          "type": "integer",
          "minimum": 1
        },
        "width": {
          "description": "How many code points are meant.",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file",
        "line",
        "column",
        "width"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .error:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan error",
  "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
  "type": "object",
  "properties": {
    "formatVersion": {
      "description": "Grows when a reader of the older form would misread the newer one.",
      "const": 1
    },
    "exitCode": {
      "description": "The exit code that the command ends with.",
      "type": "integer",
      "minimum": 1
    },
    "diagnostics": {
      "description": "Errors stand first.",
      "type": "array",
      "minItems": 1,
      "items": {
        "type": "object",
        "properties": {
          "severity": {
            "enum": [
              "error",
              "warning"
            ]
          },
          "code": {
            "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
            "type": "string"
          },
          "summary": {
            "type": "string"
          },
          "detail": {
            "description": "Whole sentences about this case.",
            "type": "string"
          },
          "hint": {
            "description": "What to do.",
            "type": "string"
          },
          "place": {
            "description": "A place in a file.",
            "type": "object",
            "properties": {
              "file": {
                "type": "string"
              },
              "line": {
                "type": "integer",
                "minimum": 1
              },
              "column": {
                "description": "In code points.",
                "type": "integer",
                "minimum": 1
              },
              "width": {
                "description": "How many code points are meant.",
                "type": "integer",
                "minimum": 1
              }
            },
            "required": [
              "file",
              "line",
              "column",
              "width"
            ],
            "additionalProperties": false
          },
          "address": {
            "description": "What it is about, as people type it: key.NAME, target.NAME.",
            "type": "string"
          },
          "failure": {
            "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
            "enum": [
              "denied",
              "unauthenticated",
              "throttled",
              "sealed",
              "unreachable",
              "unreadable"
            ]
          },
          "blocks": {
            "enum": [
              "everything",
              "itself"
            ]
          }
        },
        "required": [
          "severity",
          "summary",
          "detail"
        ],
        "additionalProperties": false
      }
    },
    "summary": {
      "type": "object",
      "properties": {
        "errors": {
          "type": "integer",
          "minimum": 1
        },
        "warnings": {
          "type": "integer",
          "minimum": 0
        }
      },
      "required": [
        "errors",
        "warnings"
      ],
      "additionalProperties": false
    }
  },
  "required": [
    "formatVersion",
    "exitCode",
    "diagnostics",
    "summary"
  ],
  "additionalProperties": false
}

"""##
    case .events:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan events",
  "description": "One line of what --events FILE writes: NDJSON, one object a line, written when it happens. The first line has type version.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "version"
        },
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "keyplan": {
          "description": "The program's version.",
          "type": "string"
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "formatVersion",
        "keyplan"
      ],
      "additionalProperties": false,
      "description": "The first line."
    },
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "diagnostic"
        },
        "diagnostic": {
          "$ref": "#/$defs/diagnostic"
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "diagnostic"
      ],
      "additionalProperties": false,
      "description": "Something a person must know."
    },
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "planned_change"
        },
        "change": {
          "type": "object",
          "properties": {
            "address": {
              "$ref": "#/$defs/address"
            },
            "action": {
              "$ref": "#/$defs/action"
            },
            "cause": {
              "enum": [
                "manifest",
                "sourceChanged",
                "drift",
                "expiry",
                "follows",
                "interrupted",
                "migration",
                "byHand",
                "program"
              ]
            }
          },
          "required": [
            "address",
            "action",
            "cause"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "change"
      ],
      "additionalProperties": false,
      "description": "A step of the plan, in the order in which people read it."
    },
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "resource_drift"
        },
        "change": {
          "type": "object",
          "properties": {
            "address": {
              "$ref": "#/$defs/address"
            },
            "kind": {
              "enum": [
                "targetChanged",
                "targetMissing",
                "targetRewritten",
                "targetExposed",
                "sourceChanged",
                "sourceMissing",
                "interrupted",
                "expired",
                "expiresSoon",
                "lastKeyKept",
                "slotWithoutKey",
                "valueRejected",
                "originalLeft",
                "signInEnded",
                "testingEnded",
                "otherAccount",
                "scopesReduced",
                "tokenRefused",
                "passwordRefused",
                "rotationLost",
                "signInEndsSoon",
                "signInUnused",
                "signInTooOld",
                "calendarGone",
                "calendarRenamed",
                "calendarMisnamed",
                "calendarChanged",
                "calendarUnclear"
              ]
            },
            "level": {
              "enum": [
                "broken",
                "pending",
                "soon"
              ]
            },
            "since": {
              "description": "When it was last seen as recorded, or since when it is so.",
              "$ref": "#/$defs/time"
            },
            "detail": {
              "description": "A place or a sentence about this case.",
              "type": "string"
            }
          },
          "required": [
            "address",
            "kind",
            "level"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "change"
      ],
      "additionalProperties": false,
      "description": "A finding of drift."
    },
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "change_summary"
        },
        "changes": {
          "oneOf": [
            {
              "type": "object",
              "properties": {
                "operation": {
                  "enum": [
                    "plan",
                    "apply"
                  ]
                },
                "total": {
                  "type": "integer",
                  "minimum": 0
                },
                "byAction": {
                  "type": "object",
                  "propertyNames": {
                    "$ref": "#/$defs/action"
                  },
                  "additionalProperties": {
                    "type": "integer",
                    "minimum": 1
                  }
                }
              },
              "required": [
                "operation",
                "total",
                "byAction"
              ],
              "additionalProperties": false
            },
            {
              "type": "object",
              "properties": {
                "operation": {
                  "const": "drift"
                },
                "total": {
                  "type": "integer",
                  "minimum": 0
                },
                "byLevel": {
                  "type": "object",
                  "propertyNames": {
                    "enum": [
                      "broken",
                      "pending",
                      "soon"
                    ]
                  },
                  "additionalProperties": {
                    "type": "integer",
                    "minimum": 1
                  }
                }
              },
              "required": [
                "operation",
                "total",
                "byLevel"
              ],
              "additionalProperties": false
            }
          ]
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "changes"
      ],
      "additionalProperties": false,
      "description": "The sum: of a plan before anything is applied, of what an apply has done, of drift."
    },
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "apply_start"
        },
        "hook": {
          "type": "object",
          "properties": {
            "address": {
              "$ref": "#/$defs/address"
            },
            "action": {
              "$ref": "#/$defs/action"
            }
          },
          "required": [
            "address",
            "action"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "hook"
      ],
      "additionalProperties": false,
      "description": "A step begins."
    },
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "apply_complete"
        },
        "hook": {
          "type": "object",
          "properties": {
            "address": {
              "$ref": "#/$defs/address"
            },
            "action": {
              "$ref": "#/$defs/action"
            }
          },
          "required": [
            "address",
            "action"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "hook"
      ],
      "additionalProperties": false,
      "description": "A step is done and recorded."
    },
    {
      "type": "object",
      "properties": {
        "@level": {
          "enum": [
            "info",
            "warn",
            "error"
          ]
        },
        "@message": {
          "description": "For people who read along.",
          "type": "string"
        },
        "@timestamp": {
          "$ref": "#/$defs/time"
        },
        "type": {
          "const": "apply_errored"
        },
        "hook": {
          "type": "object",
          "properties": {
            "address": {
              "$ref": "#/$defs/address"
            },
            "action": {
              "$ref": "#/$defs/action"
            },
            "result": {
              "enum": [
                "failed",
                "stale",
                "notTried",
                "needsPerson"
              ]
            },
            "reason": {
              "type": "string"
            },
            "failure": {
              "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
              "enum": [
                "denied",
                "unauthenticated",
                "throttled",
                "sealed",
                "unreachable",
                "unreadable"
              ]
            }
          },
          "required": [
            "address",
            "action",
            "result",
            "reason"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "@level",
        "@message",
        "@timestamp",
        "type",
        "hook"
      ],
      "additionalProperties": false,
      "description": "A step is not done: it failed, what it was planned against has moved, or it was not tried."
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "address": {
      "description": "What people type: key.NAME, active.SLOT, target.NAME, target.NAME.ENTRY, calendar.NAME, recipients, rules, store, surface.KIND TEXT, migration.NUMBER.",
      "type": "string",
      "pattern": "^(recipients|rules|store|(key|active|target|calendar|surface|migration)\\..+)$"
    },
    "diagnostic": {
      "description": "Something a person must know. Holds no value.",
      "type": "object",
      "properties": {
        "severity": {
          "enum": [
            "error",
            "warning"
          ]
        },
        "code": {
          "description": "Stable; programs may match on it. Absent where the command ended early for a reason that is no diagnostic.",
          "enum": [
            "yamlInvalid",
            "unknownField",
            "duplicateField",
            "wrongType",
            "missingField",
            "invalidValue",
            "undeclaredName",
            "invalidReference",
            "secretInManifest",
            "conflict",
            "questionable",
            "protectedFile",
            "targetTracked",
            "secretNotFound",
            "noValueYet",
            "sourceUnreachable",
            "sourceUnreadable",
            "sourceNotAsked",
            "sourceMissing",
            "targetUnreachable",
            "targetUnreadable",
            "targetNotWritable",
            "targetWriteOnly",
            "targetNotCompared",
            "targetTaken",
            "targetExposed",
            "targetInPipeline",
            "changedByOthers",
            "noUsableKey",
            "lastKeyKept",
            "expiresSoon",
            "expired",
            "pastItsEnd",
            "unexpectedFormat",
            "valueReturned",
            "valueRejected",
            "forgetLimit",
            "keyProtected",
            "recipientsRefused",
            "moveRefused",
            "removalRefused",
            "ruleBroken",
            "probablyMoved",
            "stillDeclared",
            "notDeclared",
            "stillHeld",
            "accountUnreachable",
            "accountRefused",
            "accountNotAllowed",
            "calendarMissing",
            "calendarUnclear",
            "calendarRenamed",
            "accountNotAsked",
            "signInEndsSoon",
            "signInExpired",
            "notSupported"
          ]
        },
        "summary": {
          "description": "The same words for the same code.",
          "type": "string"
        },
        "detail": {
          "description": "Whole sentences about this case.",
          "type": "string"
        },
        "hint": {
          "description": "What to do.",
          "type": "string"
        },
        "place": {
          "$ref": "#/$defs/place"
        },
        "address": {
          "$ref": "#/$defs/address"
        },
        "failure": {
          "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
          "enum": [
            "denied",
            "unauthenticated",
            "throttled",
            "sealed",
            "unreachable",
            "unreadable"
          ]
        },
        "blocks": {
          "description": "What an error holds back: the whole run, or its own address and what depends on it. Absent for warnings.",
          "enum": [
            "everything",
            "itself"
          ]
        }
      },
      "required": [
        "severity",
        "summary",
        "detail"
      ],
      "additionalProperties": false
    },
    "place": {
      "description": "A place in a file.",
      "type": "object",
      "properties": {
        "file": {
          "type": "string"
        },
        "line": {
          "type": "integer",
          "minimum": 1
        },
        "column": {
          "description": "In code points.",
          "type": "integer",
          "minimum": 1
        },
        "width": {
          "description": "How many code points are meant.",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file",
        "line",
        "column",
        "width"
      ],
      "additionalProperties": false
    },
    "action": {
      "description": "What a step does.",
      "enum": [
        "allow",
        "disallow",
        "guard",
        "upgrade",
        "rewrap",
        "move",
        "adopt",
        "remove",
        "store",
        "replace",
        "update",
        "activate",
        "deactivate",
        "sync",
        "withdraw",
        "settle",
        "retire",
        "forget",
        "rollback",
        "restore",
        "accept",
        "authorize",
        "adoptToken",
        "refresh",
        "select",
        "signOut"
      ]
    }
  }
}

"""##
    case .history:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan state history",
  "description": "What `keyplan state history --json` writes: records and forgotten keys by address, those of one name newest first, without their values.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "store": {
          "$ref": "#/$defs/store"
        },
        "records": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/record"
          }
        }
      },
      "required": [
        "formatVersion",
        "records"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "store": {
      "description": "The store that was looked at; absent while there is none.",
      "type": "object",
      "properties": {
        "id": {
          "description": "Made at init, never changes.",
          "type": "string"
        },
        "serial": {
          "description": "Counts commits.",
          "type": "integer",
          "minimum": 0
        },
        "epoch": {
          "description": "Counts root keys.",
          "type": "integer",
          "minimum": 0
        },
        "appliedAt": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "id",
        "serial",
        "epoch"
      ],
      "additionalProperties": false
    },
    "version": {
      "type": "object",
      "properties": {
        "version": {
          "description": "Its number; what `state rollback --to` takes.",
          "type": "integer",
          "minimum": 1
        },
        "storedAt": {
          "$ref": "#/$defs/time"
        },
        "origin": {
          "description": "Where the value came from; absent where a person gave it.",
          "type": "string"
        },
        "isCurrent": {
          "type": "boolean"
        },
        "isRejected": {
          "description": "Whether no plan takes this value in while a source gives it.",
          "type": "boolean"
        },
        "sameValueAs": {
          "description": "The number of the oldest version with the same value, where that is another one.",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "version",
        "storedAt",
        "isCurrent",
        "isRejected"
      ],
      "additionalProperties": false
    },
    "record": {
      "type": "object",
      "properties": {
        "address": {
          "description": "key.NAME, active.SLOT or target.NAME.",
          "type": "string",
          "pattern": "^(key|active|target)\\..+$"
        },
        "isRecorded": {
          "description": "Whether it is in use. A key that is not was forgotten and can be restored.",
          "type": "boolean"
        },
        "revision": {
          "description": "The serial of the commit that last wrote it.",
          "type": "integer",
          "minimum": 0
        },
        "versions": {
          "description": "A key's versions, the newest first.",
          "type": "array",
          "items": {
            "$ref": "#/$defs/version"
          },
          "minItems": 1
        },
        "retiredAt": {
          "$ref": "#/$defs/time"
        },
        "forgotten": {
          "type": "object",
          "properties": {
            "serial": {
              "description": "The commit that forgot it.",
              "type": "integer",
              "minimum": 0
            },
            "at": {
              "$ref": "#/$defs/time"
            },
            "keptUntil": {
              "$ref": "#/$defs/time"
            }
          },
          "required": [
            "serial",
            "at",
            "keptUntil"
          ],
          "additionalProperties": false
        },
        "active": {
          "type": "object",
          "properties": {
            "key": {
              "$ref": "#/$defs/name"
            },
            "since": {
              "$ref": "#/$defs/time"
            }
          },
          "required": [
            "key",
            "since"
          ],
          "additionalProperties": false
        },
        "location": {
          "description": "Where a target is.",
          "type": "string"
        },
        "names": {
          "description": "What a target holds, by name.",
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string"
              },
              "key": {
                "$ref": "#/$defs/name"
              },
              "syncedAt": {
                "$ref": "#/$defs/time"
              }
            },
            "required": [
              "name",
              "key",
              "syncedAt"
            ],
            "additionalProperties": false
          }
        }
      },
      "required": [
        "address",
        "isRecorded",
        "revision"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .identity:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan identity",
  "description": "What `keyplan identity show --json` and `keyplan identity new --json` write: the public halves, never the identity.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "origin": {
          "description": "The file, or the variable, that the identity comes from.",
          "type": "string"
        },
        "recipients": {
          "type": "array",
          "items": {
            "type": "string",
            "pattern": "^age1[a-z0-9]+$"
          }
        }
      },
      "required": [
        "formatVersion",
        "origin",
        "recipients"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .keys:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan keys",
  "description": "What `keyplan keys --json` writes: all keys that are declared or recorded, by name, without their values.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "environment": {
          "description": "The environment; absent for the one without a name.",
          "type": "string"
        },
        "store": {
          "$ref": "#/$defs/store"
        },
        "keys": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "$ref": "#/$defs/name"
              },
              "provider": {
                "type": "string"
              },
              "model": {
                "type": "string"
              },
              "variable": {
                "type": "string"
              },
              "isDeclared": {
                "type": "boolean"
              },
              "isRecorded": {
                "description": "Whether the store has a value.",
                "type": "boolean"
              },
              "isProtected": {
                "type": "boolean"
              },
              "activeIn": {
                "description": "The slots in which it is active.",
                "type": "array",
                "items": {
                  "$ref": "#/$defs/name"
                }
              },
              "version": {
                "description": "Counts the values it has had.",
                "type": "integer",
                "minimum": 1
              },
              "storedAt": {
                "$ref": "#/$defs/time"
              },
              "issuedAt": {
                "$ref": "#/$defs/time"
              },
              "endsAt": {
                "$ref": "#/$defs/time"
              },
              "state": {
                "description": "How it stands to its end; absent where it has none.",
                "enum": [
                  "fresh",
                  "soon",
                  "over"
                ]
              },
              "retiredAt": {
                "$ref": "#/$defs/time"
              },
              "labels": {
                "type": "object",
                "additionalProperties": {
                  "type": "string"
                }
              }
            },
            "required": [
              "name",
              "provider",
              "isDeclared",
              "isRecorded",
              "isProtected",
              "activeIn",
              "labels"
            ],
            "additionalProperties": false
          }
        }
      },
      "required": [
        "formatVersion",
        "keys"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "store": {
      "description": "The store that was looked at; absent while there is none.",
      "type": "object",
      "properties": {
        "id": {
          "description": "Made at init, never changes.",
          "type": "string"
        },
        "serial": {
          "description": "Counts commits.",
          "type": "integer",
          "minimum": 0
        },
        "epoch": {
          "description": "Counts root keys.",
          "type": "integer",
          "minimum": 0
        },
        "appliedAt": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "id",
        "serial",
        "epoch"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .manifest:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan manifest",
  "description": "keyplan.yaml: which keys there are, where their values come from, which of them are active and where they are synced to. Names secrets, never holds one.",
  "type": "object",
  "additionalProperties": false,
  "required": [
    "version"
  ],
  "properties": {
    "version": {
      "description": "The version of the manifest's format.",
      "const": 1
    },
    "store": {
      "description": "Where the store is: a file relative to the manifest, or postgres://host/database. Default: .keyplan/default.db, or .keyplan/ENVIRONMENT.db.",
      "oneOf": [
        {
          "type": "string",
          "minLength": 1
        },
        {
          "type": "object",
          "additionalProperties": false,
          "required": [
            "url"
          ],
          "properties": {
            "url": {
              "description": "postgres://host/database.",
              "type": "string",
              "pattern": "^postgres(ql)?://"
            },
            "password": {
              "description": "Where the server's password is found: a variable, or a file in the manifest's folder.",
              "$ref": "#/$defs/source"
            }
          }
        }
      ]
    },
    "recipients": {
      "description": "Who can open the store. Left out: those recorded; for a new store, the identity in use.",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/recipient"
      }
    },
    "connections": {
      "description": "Named ways to a vault: addresses and how to sign in, never secrets. A name is a scheme for sources, such as bao://path#key.",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/connection"
      }
    },
    "providers": {
      "description": "The providers of the keys: built-in ones by name alone, others with what is to be known of them.",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/provider"
      }
    },
    "policies": {
      "description": "When keys are too old, by name.",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/policy"
      }
    },
    "keys": {
      "description": "The keys, by name.",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/key"
      }
    },
    "active": {
      "description": "One key per slot. A list is ordered: its first usable key is active. A name alone is the key of the slot `default`.",
      "oneOf": [
        {
          "$ref": "#/$defs/candidates"
        },
        {
          "type": [
            "object",
            "null"
          ],
          "propertyNames": {
            "$ref": "#/$defs/name"
          },
          "additionalProperties": {
            "$ref": "#/$defs/candidates"
          }
        }
      ]
    },
    "calendars": {
      "description": "Calendar accounts, by name.",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/calendar"
      }
    },
    "targets": {
      "description": "Where values are synced to and watched for drift. An environment does not inherit them.",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/target"
      }
    },
    "migrations": {
      "description": "What runs once and is remembered: keys that moved to another name, values that are adopted from where they were.",
      "type": [
        "array",
        "null"
      ],
      "items": {
        "$ref": "#/$defs/migration"
      }
    },
    "rules": {
      "description": "What is demanded of the keys, by name. A plan that would leave a rule broken is refused (exit 7).",
      "type": [
        "object",
        "null"
      ],
      "propertyNames": {
        "$ref": "#/$defs/name"
      },
      "additionalProperties": {
        "$ref": "#/$defs/rule"
      }
    },
    "defaultEnvironment": {
      "description": "The environment to take where overlays exist and none was chosen; `default` is the manifest alone, unless it has an overlay of that name.",
      "type": "string",
      "minLength": 1,
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    }
  },
  "$defs": {
    "name": {
      "description": "A name: a-z, 0-9, - and _, beginning with a letter or digit, at most 63 characters.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "variable": {
      "description": "The name of an environment variable; those that begin with KEYPLAN_ are keyplan's own.",
      "type": "string",
      "pattern": "^(?!KEYPLAN_)[A-Za-z_][A-Za-z0-9_]*$"
    },
    "duration": {
      "description": "A whole number above zero and s, m, h, d or w: 90d. A day is 24 hours.",
      "type": "string",
      "pattern": "^[1-9][0-9]*[smhdw]$"
    },
    "moment": {
      "description": "A date (2027-03-01, midnight UTC), or a date and time (2027-03-01T12:00:00Z).",
      "type": "string",
      "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:[0-9]{2}))?$"
    },
    "recipient": {
      "description": "An age recipient (age1…), a mapping that says what it can do, or passphrase.",
      "oneOf": [
        {
          "$ref": "#/$defs/publicKey"
        },
        {
          "description": "Somebody types a passphrase.",
          "const": "passphrase"
        },
        {
          "description": "A recipient and what it can do.",
          "type": "object",
          "additionalProperties": false,
          "required": [
            "key"
          ],
          "properties": {
            "key": {
              "description": "The age recipient.",
              "$ref": "#/$defs/publicKey"
            },
            "can": {
              "description": "full (default): opens everything. plan: plans and drifts, opens no secret.",
              "enum": [
                "full",
                "plan"
              ]
            }
          }
        }
      ]
    },
    "publicKey": {
      "description": "An age X25519 recipient.",
      "type": "string",
      "pattern": "^age1[qpzry9x8gf2tvdw0s3jn54khce6mua7l]{58}$"
    },
    "connection": {
      "description": "A way to a vault.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "type"
      ],
      "properties": {
        "type": {
          "description": "The kind of vault.",
          "enum": [
            "age",
            "awsps",
            "awssm",
            "cloudkit",
            "keychain",
            "op",
            "pass",
            "sops",
            "vault"
          ]
        },
        "address": {
          "description": "The vault's https:// address.",
          "type": "string",
          "minLength": 1
        },
        "token": {
          "description": "Where the token for signing in is found.",
          "$ref": "#/$defs/source"
        },
        "namespace": {
          "description": "The vault's namespace.",
          "type": "string",
          "minLength": 1
        },
        "region": {
          "description": "The region of the cloud.",
          "type": "string",
          "minLength": 1
        },
        "profile": {
          "description": "The profile of the cloud's own configuration.",
          "type": "string",
          "minLength": 1
        }
      }
    },
    "provider": {
      "description": "What is to be known of a provider. {} takes a built-in one as it is.",
      "type": [
        "object",
        "null"
      ],
      "additionalProperties": false,
      "properties": {
        "format": {
          "description": "How its keys look, as a pattern of literals, classes, {m,n} and one level of alternatives. A mismatch warns and never rejects.",
          "type": "string",
          "minLength": 1
        },
        "variable": {
          "description": "The variable that its key is exported under.",
          "$ref": "#/$defs/variable"
        },
        "check": {
          "description": "How a key is tried out.",
          "$ref": "#/$defs/check"
        }
      }
    },
    "check": {
      "description": "A request that tells whether a key is valid.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "url"
      ],
      "properties": {
        "url": {
          "description": "The https:// address to ask.",
          "type": "string",
          "minLength": 1
        },
        "header": {
          "description": "The header that carries the key, which goes where {key} stands.",
          "type": "string",
          "minLength": 1,
          "pattern": "\\{key\\}"
        },
        "valid": {
          "description": "The HTTP statuses of a valid key.",
          "$ref": "#/$defs/statuses"
        },
        "invalid": {
          "description": "The HTTP statuses of an invalid key.",
          "$ref": "#/$defs/statuses"
        }
      }
    },
    "statuses": {
      "description": "HTTP statuses.",
      "type": "array",
      "items": {
        "description": "An HTTP status.",
        "type": "integer",
        "minimum": 100,
        "maximum": 599
      }
    },
    "policy": {
      "description": "When a key is too old.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "after": {
          "description": "So long after it was issued, or first stored where nobody says when it was issued.",
          "$ref": "#/$defs/duration"
        },
        "on": {
          "description": "At a fixed moment.",
          "$ref": "#/$defs/moment"
        },
        "warn": {
          "description": "How long before the end it is said. Default: 14d, or a quarter of `after` where that is shorter.",
          "$ref": "#/$defs/duration"
        },
        "then": {
          "description": "What happens at the end. warn (default): it is said. retire: no slot chooses the key and no reader gets it.",
          "enum": [
            "warn",
            "retire"
          ]
        }
      },
      "oneOf": [
        {
          "required": [
            "after"
          ]
        },
        {
          "required": [
            "on"
          ]
        }
      ]
    },
    "key": {
      "description": "A key: what it is and where its value is found.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "provider"
      ],
      "properties": {
        "provider": {
          "description": "The provider, built in or declared. generic: a value that belongs to no provider.",
          "$ref": "#/$defs/name"
        },
        "model": {
          "description": "The model that the key is meant for.",
          "type": "string",
          "minLength": 1
        },
        "source": {
          "description": "Where the value is found. A list is ordered: the first that has a value wins. Left out: the store is the authority, and `keyplan keys set` gives the value.",
          "oneOf": [
            {
              "$ref": "#/$defs/source"
            },
            {
              "type": "array",
              "minItems": 1,
              "items": {
                "$ref": "#/$defs/source"
              }
            }
          ]
        },
        "expires": {
          "description": "When the key is too old: a policy's name, or a policy.",
          "oneOf": [
            {
              "$ref": "#/$defs/name"
            },
            {
              "$ref": "#/$defs/policy"
            }
          ]
        },
        "issued": {
          "description": "When the provider issued it. Left out, the age counts from when keyplan first stored it.",
          "$ref": "#/$defs/moment"
        },
        "variable": {
          "description": "The key's own variable, instead of its provider's.",
          "$ref": "#/$defs/variable"
        },
        "unsafeName": {
          "description": "Whether its variable may be one that decides what programs load, run or trust, such as LD_PRELOAD.",
          "type": "boolean"
        },
        "follow": {
          "description": "always (default): a changed value at the source is taken in. once: only where nothing is recorded.",
          "enum": [
            "always",
            "once"
          ]
        },
        "protected": {
          "description": "Whether it is never forgotten without a person saying so.",
          "type": "boolean"
        },
        "labels": {
          "description": "Free words for people and filters.",
          "type": "object",
          "additionalProperties": {
            "description": "A label's text.",
            "type": "string",
            "minLength": 1
          }
        },
        "cache": {
          "description": "How long readers may go on with a value.",
          "$ref": "#/$defs/cache"
        }
      }
    },
    "source": {
      "description": "Where a secret is found: a reference, or a mapping. Never the secret itself.",
      "oneOf": [
        {
          "description": "A reference: env://NAME, file://path, dotenv://path#NAME, json://path#/pointer, yaml://path#/pointer, plist://path#KEY, or a vault's.",
          "type": "string",
          "pattern": "^[a-z0-9][a-z0-9_-]*://.+$"
        },
        {
          "description": "A command that prints the value. No shell is involved.",
          "type": "object",
          "additionalProperties": false,
          "required": [
            "command"
          ],
          "properties": {
            "command": {
              "description": "The program and its arguments.",
              "type": "array",
              "minItems": 1,
              "items": {
                "description": "An argument.",
                "type": "string"
              }
            },
            "timeout": {
              "description": "How long it may run.",
              "$ref": "#/$defs/duration"
            },
            "variables": {
              "description": "Variables that it gets beside the usual ones.",
              "type": "array",
              "items": {
                "$ref": "#/$defs/variable"
              }
            },
            "directory": {
              "description": "The working directory, relative to the manifest. Default: a private empty directory.",
              "type": "string",
              "minLength": 1
            },
            "data": {
              "description": "Arguments that name data files: a change of these files needs no new permission.",
              "type": "array",
              "items": {
                "type": "string"
              }
            }
          }
        },
        {
          "description": "A reference in parts, for odd characters.",
          "type": "object",
          "additionalProperties": false,
          "required": [
            "from",
            "path"
          ],
          "properties": {
            "from": {
              "description": "The scheme, or the name of a connection.",
              "type": "string",
              "minLength": 1
            },
            "path": {
              "description": "What stands between :// and # in a reference.",
              "type": "string",
              "minLength": 1
            },
            "field": {
              "description": "What stands behind # in a reference.",
              "type": "string",
              "minLength": 1
            }
          }
        }
      ]
    },
    "cache": {
      "description": "How long readers may go on with a value.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "fresh": {
          "description": "The soft age: behind it a reader asks again, and goes on if it gets no answer.",
          "$ref": "#/$defs/duration"
        },
        "stale": {
          "description": "The hard age: behind it a reader fails.",
          "$ref": "#/$defs/duration"
        }
      }
    },
    "candidates": {
      "description": "A key, or keys in order of preference.",
      "oneOf": [
        {
          "$ref": "#/$defs/name"
        },
        {
          "type": "array",
          "minItems": 1,
          "uniqueItems": true,
          "items": {
            "$ref": "#/$defs/name"
          }
        }
      ]
    },
    "calendar": {
      "description": "A calendar account.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "service",
        "account"
      ],
      "properties": {
        "service": {
          "description": "The calendar's service.",
          "enum": [
            "google",
            "outlook",
            "caldav"
          ]
        },
        "account": {
          "description": "The account's name at the service.",
          "type": "string",
          "minLength": 1
        },
        "calendar": {
          "description": "A calendar's name or id. Default: the account's primary calendar.",
          "type": "string",
          "minLength": 1
        },
        "client": {
          "description": "The application that asks for consent; for google and outlook.",
          "$ref": "#/$defs/client"
        },
        "signIn": {
          "description": "How tokens come about: a person in a browser (loopback and PKCE) or on another device; a Google service account or, at Microsoft, the client in its own name needs nobody. Default: browser for google, device for outlook.",
          "enum": [
            "browser",
            "device",
            "serviceAccount",
            "clientCredentials"
          ]
        },
        "url": {
          "description": "The server's https:// address; for caldav.",
          "type": "string",
          "minLength": 1
        },
        "password": {
          "description": "Where the password is found; for caldav.",
          "$ref": "#/$defs/source"
        },
        "token": {
          "description": "Where a refresh token is found that is taken over once, where nobody can sign in.",
          "$ref": "#/$defs/source"
        },
        "keyFile": {
          "description": "Where the service account's key file is found; for signIn: serviceAccount.",
          "$ref": "#/$defs/source"
        },
        "expires": {
          "description": "When a sign-in is too old: a policy's name, or a policy.",
          "oneOf": [
            {
              "$ref": "#/$defs/name"
            },
            {
              "$ref": "#/$defs/policy"
            }
          ]
        },
        "endpoints": {
          "description": "Addresses that are not the service's usual ones: for tests and private clouds.",
          "$ref": "#/$defs/endpoints"
        }
      },
      "allOf": [
        {
          "if": {
            "properties": {
              "service": {
                "const": "caldav"
              }
            }
          },
          "then": {
            "required": [
              "url",
              "password"
            ]
          },
          "else": {
            "if": {
              "properties": {
                "signIn": {
                  "const": "serviceAccount"
                }
              },
              "required": [
                "signIn"
              ]
            },
            "then": {
              "required": [
                "keyFile"
              ]
            },
            "else": {
              "required": [
                "client"
              ]
            }
          }
        }
      ]
    },
    "client": {
      "description": "An application registered with the service.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "id"
      ],
      "properties": {
        "id": {
          "description": "Its client id, which is no secret.",
          "type": "string",
          "minLength": 1
        },
        "secret": {
          "description": "Where its client secret is found.",
          "$ref": "#/$defs/source"
        },
        "tenant": {
          "description": "The tenant; for outlook.",
          "type": "string",
          "minLength": 1
        },
        "publishing": {
          "description": "The app's status at Google: in testing, consent ends after seven days.",
          "enum": [
            "testing",
            "production"
          ]
        }
      }
    },
    "endpoints": {
      "description": "What the service is asked at, each an https:// address.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "authorize": {
          "description": "Where a person agrees.",
          "type": "string",
          "minLength": 1
        },
        "token": {
          "description": "Where tokens come from.",
          "type": "string",
          "minLength": 1
        },
        "device": {
          "description": "Where a sign-in on another device begins.",
          "type": "string",
          "minLength": 1
        },
        "revoke": {
          "description": "Where a token is given back.",
          "type": "string",
          "minLength": 1
        },
        "api": {
          "description": "Where calendars are read.",
          "type": "string",
          "minLength": 1
        }
      }
    },
    "target": {
      "description": "Where values are synced to.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "type",
        "keys"
      ],
      "properties": {
        "type": {
          "description": "The kind of target.",
          "enum": [
            "cloudkit",
            "dotenv",
            "json",
            "kubernetes",
            "plist",
            "vault",
            "yaml"
          ]
        },
        "path": {
          "description": "The file, relative to the manifest; for vault, the path in it.",
          "type": "string",
          "minLength": 1
        },
        "keys": {
          "description": "What is synced, by its name at the target. \"*\" stands for the key's own variable.",
          "type": "object",
          "properties": {
            "*": {
              "description": "Keys and slots that are written under the variable of the key.",
              "oneOf": [
                {
                  "$ref": "#/$defs/feed"
                },
                {
                  "type": "array",
                  "items": {
                    "$ref": "#/$defs/feed"
                  }
                }
              ]
            }
          },
          "additionalProperties": {
            "description": "A key, a slot, or a slot with a name for each provider.",
            "oneOf": [
              {
                "$ref": "#/$defs/feed"
              },
              {
                "$ref": "#/$defs/entry"
              }
            ]
          }
        },
        "takeOver": {
          "description": "Whether values that somebody else put there may be overwritten.",
          "type": "boolean"
        },
        "unsafeName": {
          "description": "Whether its names may be variables that decide what programs load, run or trust, such as PATH.",
          "type": "boolean"
        },
        "mode": {
          "description": "The mode of the file, in octal: \"0640\". Without it a new file has 0600, and an existing one keeps its own.",
          "type": [
            "string",
            "integer"
          ],
          "pattern": "^(0o|0)?[0-7]{3}$"
        },
        "container": {
          "description": "The CloudKit container.",
          "type": "string",
          "minLength": 1
        },
        "environment": {
          "description": "The CloudKit environment.",
          "type": "string",
          "minLength": 1
        },
        "database": {
          "description": "The CloudKit database.",
          "type": "string",
          "minLength": 1
        },
        "keyId": {
          "description": "The id of the CloudKit server key.",
          "type": "string",
          "minLength": 1
        },
        "privateKey": {
          "description": "Where the CloudKit server key is found.",
          "$ref": "#/$defs/source"
        },
        "context": {
          "description": "The Kubernetes context.",
          "type": "string",
          "minLength": 1
        },
        "namespace": {
          "description": "The Kubernetes namespace.",
          "type": "string",
          "minLength": 1
        },
        "name": {
          "description": "The name of the Kubernetes secret.",
          "type": "string",
          "minLength": 1
        },
        "connection": {
          "description": "The connection to the vault.",
          "type": "string",
          "minLength": 1
        }
      },
      "allOf": [
        {
          "if": {
            "properties": {
              "type": {
                "enum": [
                  "dotenv",
                  "json",
                  "plist",
                  "yaml"
                ]
              }
            }
          },
          "then": {
            "required": [
              "path"
            ]
          }
        }
      ]
    },
    "feed": {
      "description": "A key's name, or active. and a slot's name.",
      "type": "string",
      "pattern": "^(active\\.)?[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "entry": {
      "description": "A slot that is written under another name for each provider.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "from",
        "names"
      ],
      "properties": {
        "from": {
          "description": "The slot, such as active.assistant.",
          "$ref": "#/$defs/feed"
        },
        "names": {
          "description": "The names at the target, by provider.",
          "type": "object",
          "propertyNames": {
            "$ref": "#/$defs/name"
          },
          "additionalProperties": {
            "description": "The name for this provider's keys.",
            "type": "string",
            "minLength": 1
          }
        }
      }
    },
    "migration": {
      "description": "What runs once.",
      "type": "object",
      "additionalProperties": false,
      "required": [
        "to"
      ],
      "properties": {
        "moved": {
          "description": "The name that the key had; its history comes along.",
          "$ref": "#/$defs/name"
        },
        "adopt": {
          "description": "Where the value is taken from, once.",
          "$ref": "#/$defs/source"
        },
        "to": {
          "description": "The declared key; for adopt, one without a source, or calendar.NAME for an account that takes over another program's refresh token.",
          "type": "string",
          "pattern": "^(calendar\\.)?[a-z0-9][a-z0-9_-]{0,62}$"
        },
        "original": {
          "description": "What becomes of an adopted original: keep (default) or remove.",
          "enum": [
            "keep",
            "remove"
          ]
        }
      },
      "oneOf": [
        {
          "required": [
            "moved"
          ],
          "not": {
            "required": [
              "original"
            ]
          }
        },
        {
          "required": [
            "adopt"
          ]
        }
      ]
    },
    "rule": {
      "description": "A demand, and whom it is about.",
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "environments": {
          "description": "The environments in which it is in force. Default: all, and without one.",
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/$defs/name"
          }
        },
        "keys": {
          "description": "The keys that it is about. Default: all.",
          "type": "array",
          "minItems": 1,
          "items": {
            "$ref": "#/$defs/name"
          }
        },
        "maxAge": {
          "description": "A key is younger than this, counted from when it was issued or else first stored, or has a policy of its own that ends it sooner.",
          "$ref": "#/$defs/duration"
        },
        "allowSources": {
          "description": "All sources are of these kinds: env, dotenv, command, the name of a connection …; store is the kind of a key without a source.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "string",
            "minLength": 1
          }
        },
        "forbidSources": {
          "description": "No source is of these kinds.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "string",
            "minLength": 1
          }
        },
        "allowProviders": {
          "description": "The provider is one of these.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "string",
            "minLength": 1
          }
        }
      },
      "anyOf": [
        {
          "required": [
            "maxAge"
          ]
        },
        {
          "required": [
            "allowSources"
          ]
        },
        {
          "required": [
            "forbidSources"
          ]
        },
        {
          "required": [
            "allowProviders"
          ]
        }
      ]
    }
  }
}

"""##
    case .plan:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan plan",
  "description": "What `keyplan plan --json` writes. Steps stand in the order of reading: removals, replacements, the rest, each by address.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "environment": {
          "description": "The environment; absent for the one without a name.",
          "type": "string"
        },
        "store": {
          "$ref": "#/$defs/store"
        },
        "id": {
          "description": "For `apply --expect`.",
          "type": "string",
          "pattern": "^kp1-[a-z0-9]{26}$"
        },
        "steps": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/step"
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "steps": {
              "type": "integer",
              "minimum": 0
            },
            "byAction": {
              "description": "Actions without a step are absent.",
              "type": "object",
              "properties": {
                "allow": {
                  "type": "integer",
                  "minimum": 1
                },
                "disallow": {
                  "type": "integer",
                  "minimum": 1
                },
                "guard": {
                  "type": "integer",
                  "minimum": 1
                },
                "upgrade": {
                  "type": "integer",
                  "minimum": 1
                },
                "rewrap": {
                  "type": "integer",
                  "minimum": 1
                },
                "move": {
                  "type": "integer",
                  "minimum": 1
                },
                "remove": {
                  "type": "integer",
                  "minimum": 1
                },
                "adopt": {
                  "type": "integer",
                  "minimum": 1
                },
                "store": {
                  "type": "integer",
                  "minimum": 1
                },
                "replace": {
                  "type": "integer",
                  "minimum": 1
                },
                "update": {
                  "type": "integer",
                  "minimum": 1
                },
                "activate": {
                  "type": "integer",
                  "minimum": 1
                },
                "deactivate": {
                  "type": "integer",
                  "minimum": 1
                },
                "sync": {
                  "type": "integer",
                  "minimum": 1
                },
                "withdraw": {
                  "type": "integer",
                  "minimum": 1
                },
                "settle": {
                  "type": "integer",
                  "minimum": 1
                },
                "retire": {
                  "type": "integer",
                  "minimum": 1
                },
                "forget": {
                  "type": "integer",
                  "minimum": 1
                },
                "rollback": {
                  "type": "integer",
                  "minimum": 1
                },
                "restore": {
                  "type": "integer",
                  "minimum": 1
                },
                "accept": {
                  "type": "integer",
                  "minimum": 1
                },
                "authorize": {
                  "type": "integer",
                  "minimum": 1
                },
                "adoptToken": {
                  "type": "integer",
                  "minimum": 1
                },
                "refresh": {
                  "type": "integer",
                  "minimum": 1
                },
                "select": {
                  "type": "integer",
                  "minimum": 1
                },
                "signOut": {
                  "type": "integer",
                  "minimum": 1
                }
              },
              "additionalProperties": false
            },
            "errors": {
              "type": "integer",
              "minimum": 0
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            },
            "isHeldBack": {
              "description": "Whether an error holds the whole plan back.",
              "type": "boolean"
            }
          },
          "required": [
            "steps",
            "byAction",
            "errors",
            "warnings",
            "isHeldBack"
          ],
          "additionalProperties": false
        },
        "diagnostics": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/diagnostic"
          }
        }
      },
      "required": [
        "formatVersion",
        "steps",
        "summary",
        "diagnostics"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "address": {
      "description": "What people type: key.NAME, active.SLOT, target.NAME, target.NAME.ENTRY, calendar.NAME, recipients, rules, store, surface.KIND TEXT, migration.NUMBER.",
      "type": "string",
      "pattern": "^(recipients|rules|store|(key|active|target|calendar|surface|migration)\\..+)$"
    },
    "store": {
      "description": "The store that was looked at; absent while there is none.",
      "type": "object",
      "properties": {
        "id": {
          "description": "Made at init, never changes.",
          "type": "string"
        },
        "serial": {
          "description": "Counts commits.",
          "type": "integer",
          "minimum": 0
        },
        "epoch": {
          "description": "Counts root keys.",
          "type": "integer",
          "minimum": 0
        },
        "appliedAt": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "id",
        "serial",
        "epoch"
      ],
      "additionalProperties": false
    },
    "diagnostic": {
      "description": "Something a person must know. Holds no value.",
      "type": "object",
      "properties": {
        "severity": {
          "enum": [
            "error",
            "warning"
          ]
        },
        "code": {
          "description": "Stable; programs may match on it.",
          "enum": [
            "yamlInvalid",
            "unknownField",
            "duplicateField",
            "wrongType",
            "missingField",
            "invalidValue",
            "undeclaredName",
            "invalidReference",
            "secretInManifest",
            "conflict",
            "questionable",
            "protectedFile",
            "targetTracked",
            "secretNotFound",
            "noValueYet",
            "sourceUnreachable",
            "sourceUnreadable",
            "sourceNotAsked",
            "sourceMissing",
            "targetUnreachable",
            "targetUnreadable",
            "targetNotWritable",
            "targetWriteOnly",
            "targetNotCompared",
            "targetTaken",
            "targetExposed",
            "targetInPipeline",
            "changedByOthers",
            "noUsableKey",
            "lastKeyKept",
            "expiresSoon",
            "expired",
            "pastItsEnd",
            "unexpectedFormat",
            "valueReturned",
            "valueRejected",
            "forgetLimit",
            "keyProtected",
            "recipientsRefused",
            "moveRefused",
            "removalRefused",
            "ruleBroken",
            "probablyMoved",
            "stillDeclared",
            "notDeclared",
            "stillHeld",
            "accountUnreachable",
            "accountRefused",
            "accountNotAllowed",
            "calendarMissing",
            "calendarUnclear",
            "calendarRenamed",
            "accountNotAsked",
            "signInEndsSoon",
            "signInExpired",
            "notSupported"
          ]
        },
        "summary": {
          "description": "The same words for the same code.",
          "type": "string"
        },
        "detail": {
          "description": "Whole sentences about this case.",
          "type": "string"
        },
        "hint": {
          "description": "What to do.",
          "type": "string"
        },
        "place": {
          "$ref": "#/$defs/place"
        },
        "address": {
          "$ref": "#/$defs/address"
        },
        "failure": {
          "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
          "enum": [
            "denied",
            "unauthenticated",
            "throttled",
            "sealed",
            "unreachable",
            "unreadable"
          ]
        },
        "blocks": {
          "description": "What an error holds back: the whole run, or its own address and what depends on it. Absent for warnings.",
          "enum": [
            "everything",
            "itself"
          ]
        }
      },
      "required": [
        "severity",
        "code",
        "summary",
        "detail"
      ],
      "additionalProperties": false
    },
    "place": {
      "description": "A place in a file.",
      "type": "object",
      "properties": {
        "file": {
          "type": "string"
        },
        "line": {
          "type": "integer",
          "minimum": 1
        },
        "column": {
          "description": "In code points.",
          "type": "integer",
          "minimum": 1
        },
        "width": {
          "description": "How many code points are meant.",
          "type": "integer",
          "minimum": 1
        }
      },
      "required": [
        "file",
        "line",
        "column",
        "width"
      ],
      "additionalProperties": false
    },
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "fingerprint": {
      "description": "A keyed hash of a value; says nothing without the store's key.",
      "type": "string",
      "pattern": "^[0-9a-f]{32}$"
    },
    "step": {
      "type": "object",
      "properties": {
        "address": {
          "$ref": "#/$defs/address"
        },
        "effect": {
          "$ref": "#/$defs/effect"
        },
        "cause": {
          "enum": [
            "manifest",
            "sourceChanged",
            "drift",
            "expiry",
            "follows",
            "interrupted",
            "migration",
            "byHand",
            "program"
          ]
        },
        "ground": {
          "description": "What the step was planned against.",
          "type": "object",
          "properties": {
            "revision": {
              "description": "The record's revision; absent where there was no record.",
              "type": "integer",
              "minimum": 0
            },
            "source": {
              "$ref": "#/$defs/fingerprint"
            },
            "content": {
              "description": "The digest of the source's file, where its content was not compared.",
              "type": "string"
            },
            "target": {
              "description": "What the target held under each name.",
              "type": "object",
              "additionalProperties": {
                "$ref": "#/$defs/fingerprint"
              }
            },
            "marks": {
              "description": "For a target whose values cannot be read back: the mark that it showed under each name, empty where it shows only that the name is there.",
              "type": "object",
              "additionalProperties": {
                "type": "string"
              }
            }
          },
          "required": [],
          "additionalProperties": false
        },
        "after": {
          "description": "The addresses whose steps must have succeeded before.",
          "type": "array",
          "items": {
            "$ref": "#/$defs/address"
          }
        }
      },
      "required": [
        "address",
        "effect",
        "cause",
        "ground",
        "after"
      ],
      "additionalProperties": false
    },
    "effect": {
      "description": "What the step does: an action and its particulars.",
      "oneOf": [
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "allow"
            },
            "grant": {
              "description": "What is allowed with the item: variables, timeout, directory, digests of files, credentials.",
              "type": "object",
              "properties": {
                "terms": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                },
                "was": {
                  "description": "What was allowed before; absent for a new item.",
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                }
              },
              "required": [
                "terms"
              ],
              "additionalProperties": false
            }
          },
          "required": [
            "action",
            "grant"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "enum": [
                "disallow",
                "settle",
                "retire",
                "forget"
              ]
            }
          },
          "required": [
            "action"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "enum": [
                "store",
                "replace",
                "update"
              ]
            },
            "write": {
              "$ref": "#/$defs/keyWrite"
            }
          },
          "required": [
            "action",
            "write"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "move"
            },
            "from": {
              "$ref": "#/$defs/name"
            }
          },
          "required": [
            "action",
            "from"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "adopt"
            },
            "from": {
              "type": "string"
            },
            "write": {
              "$ref": "#/$defs/keyWrite"
            }
          },
          "required": [
            "action",
            "from",
            "write"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "remove"
            },
            "from": {
              "type": "string"
            },
            "key": {
              "description": "The key that has the value; or a calendar account.",
              "$ref": "#/$defs/name"
            },
            "calendar": {
              "description": "The calendar account that has the token.",
              "$ref": "#/$defs/name"
            }
          },
          "required": [
            "action",
            "from"
          ],
          "oneOf": [
            {
              "required": [
                "key"
              ]
            },
            {
              "required": [
                "calendar"
              ]
            }
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "upgrade"
            },
            "upgrade": {
              "description": "The formats of the store's records, from 1.",
              "type": "object",
              "properties": {
                "from": {
                  "type": "integer",
                  "minimum": 1
                },
                "to": {
                  "type": "integer",
                  "minimum": 2
                }
              },
              "required": [
                "from",
                "to"
              ],
              "additionalProperties": false
            }
          },
          "required": [
            "action",
            "upgrade"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "guard"
            },
            "guards": {
              "description": "How the protection of keys changes: demands of rules, and leave to take values over.",
              "type": "object",
              "properties": {
                "demanded": {
                  "type": "array",
                  "items": {
                    "$ref": "#/$defs/demand"
                  }
                },
                "dropped": {
                  "description": "No longer demanded: this protects less.",
                  "type": "array",
                  "items": {
                    "$ref": "#/$defs/demand"
                  }
                },
                "waived": {
                  "description": "New leave: this protects less.",
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                },
                "revoked": {
                  "type": "array",
                  "items": {
                    "type": "string"
                  }
                }
              },
              "required": [
                "demanded",
                "dropped",
                "waived",
                "revoked"
              ],
              "additionalProperties": false
            }
          },
          "required": [
            "action",
            "guards"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "rewrap"
            },
            "recipients": {
              "$ref": "#/$defs/rewrap"
            }
          },
          "required": [
            "action",
            "recipients"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "activate"
            },
            "key": {
              "$ref": "#/$defs/name"
            },
            "was": {
              "$ref": "#/$defs/name"
            }
          },
          "required": [
            "action",
            "key"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "deactivate"
            },
            "was": {
              "$ref": "#/$defs/name"
            }
          },
          "required": [
            "action",
            "was"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "sync"
            },
            "target": {
              "$ref": "#/$defs/targetWrite"
            }
          },
          "required": [
            "action",
            "target"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "withdraw"
            },
            "removal": {
              "$ref": "#/$defs/targetRemoval"
            }
          },
          "required": [
            "action",
            "removal"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "rollback"
            },
            "rollback": {
              "$ref": "#/$defs/rollback"
            }
          },
          "required": [
            "action",
            "rollback"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "restore"
            },
            "restoration": {
              "$ref": "#/$defs/restoration"
            }
          },
          "required": [
            "action",
            "restoration"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "accept"
            },
            "acceptance": {
              "$ref": "#/$defs/acceptance"
            }
          },
          "required": [
            "action",
            "acceptance"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "authorize"
            },
            "need": {
              "$ref": "#/$defs/accountNeed"
            }
          },
          "required": [
            "action",
            "need"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "adoptToken"
            },
            "from": {
              "description": "The reference where the token stands.",
              "type": "string"
            },
            "account": {
              "$ref": "#/$defs/accountFacts"
            }
          },
          "required": [
            "action",
            "from",
            "account"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "refresh"
            },
            "refresh": {
              "$ref": "#/$defs/accountRefresh"
            }
          },
          "required": [
            "action",
            "refresh"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "select"
            },
            "selection": {
              "$ref": "#/$defs/accountSelection"
            }
          },
          "required": [
            "action",
            "selection"
          ],
          "additionalProperties": false
        },
        {
          "type": "object",
          "properties": {
            "action": {
              "const": "signOut"
            },
            "signOut": {
              "$ref": "#/$defs/accountSignOut"
            }
          },
          "required": [
            "action",
            "signOut"
          ],
          "additionalProperties": false
        }
      ]
    },
    "keyWrite": {
      "type": "object",
      "properties": {
        "facts": {
          "$ref": "#/$defs/facts"
        },
        "source": {
          "description": "The index of the source that has the value; absent when a person gives it, or when it stays.",
          "type": "integer",
          "minimum": 0
        },
        "deferred": {
          "description": "The first source that has a value is found at apply.",
          "const": true
        }
      },
      "required": [
        "facts"
      ],
      "additionalProperties": false
    },
    "facts": {
      "description": "What is recorded of a key beside its value.",
      "type": "object",
      "properties": {
        "provider": {
          "type": "string"
        },
        "model": {
          "type": "string"
        },
        "variable": {
          "type": "string"
        },
        "ownsVariable": {
          "type": "boolean"
        },
        "expiry": {
          "$ref": "#/$defs/expiry"
        },
        "issued": {
          "$ref": "#/$defs/time"
        },
        "sources": {
          "description": "References, in order.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "isProtected": {
          "type": "boolean"
        },
        "labels": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          }
        }
      },
      "required": [
        "provider",
        "ownsVariable",
        "sources",
        "isProtected",
        "labels"
      ],
      "additionalProperties": false
    },
    "expiry": {
      "type": "object",
      "properties": {
        "limit": {
          "description": "So many seconds after the key was issued, or at an instant.",
          "oneOf": [
            {
              "type": "object",
              "properties": {
                "after": {
                  "type": "integer"
                }
              },
              "required": [
                "after"
              ],
              "additionalProperties": false
            },
            {
              "type": "object",
              "properties": {
                "on": {
                  "$ref": "#/$defs/time"
                }
              },
              "required": [
                "on"
              ],
              "additionalProperties": false
            }
          ]
        },
        "warn": {
          "description": "Seconds before the end from which it is said.",
          "type": "integer"
        },
        "then": {
          "enum": [
            "warn",
            "retire"
          ]
        }
      },
      "required": [
        "limit",
        "warn",
        "then"
      ],
      "additionalProperties": false
    },
    "targetWrite": {
      "type": "object",
      "properties": {
        "destination": {
          "$ref": "#/$defs/destination"
        },
        "entries": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "type": "string"
              },
              "key": {
                "$ref": "#/$defs/name"
              },
              "reason": {
                "enum": [
                  "new",
                  "alreadyThere",
                  "takeOver",
                  "keyChanged",
                  "changedThere",
                  "missingThere",
                  "notReadable",
                  "notCompared"
                ]
              }
            },
            "required": [
              "name",
              "key",
              "reason"
            ],
            "additionalProperties": false
          }
        },
        "total": {
          "description": "How many names the target has when all is done.",
          "type": "integer",
          "minimum": 0
        },
        "mode": {
          "description": "The mode that the file gets; absent where it keeps its own.",
          "type": "object",
          "properties": {
            "was": {
              "description": "Absent for a new file.",
              "type": "string",
              "pattern": "^0[0-7]{3}$"
            },
            "mode": {
              "type": "string",
              "pattern": "^0[0-7]{3}$"
            }
          },
          "required": [
            "mode"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "destination",
        "entries",
        "total"
      ],
      "additionalProperties": false
    },
    "targetRemoval": {
      "type": "object",
      "properties": {
        "destination": {
          "$ref": "#/$defs/destination"
        },
        "names": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "released": {
          "description": "Names that only leave the record.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "isMove": {
          "type": "boolean"
        }
      },
      "required": [
        "destination",
        "names",
        "released",
        "isMove"
      ],
      "additionalProperties": false
    },
    "demand": {
      "description": "What a rule of the manifest demands of keys; of all where there are no keys.",
      "type": "object",
      "properties": {
        "rule": {
          "type": "string"
        },
        "keys": {
          "type": "array",
          "items": {
            "$ref": "#/$defs/name"
          }
        },
        "words": {
          "type": "string"
        }
      },
      "required": [
        "rule",
        "words"
      ],
      "additionalProperties": false
    },
    "rewrap": {
      "type": "object",
      "properties": {
        "recipients": {
          "type": "array",
          "items": {
            "type": "object",
            "properties": {
              "name": {
                "$ref": "#/$defs/name"
              },
              "value": {
                "type": "object",
                "properties": {
                  "publicKey": {
                    "type": "string"
                  },
                  "role": {
                    "enum": [
                      "full",
                      "plan"
                    ]
                  }
                },
                "required": [
                  "publicKey",
                  "role"
                ],
                "additionalProperties": false
              }
            },
            "required": [
              "name",
              "value"
            ],
            "additionalProperties": false
          }
        },
        "added": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "removed": {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      },
      "required": [
        "recipients",
        "added",
        "removed"
      ],
      "additionalProperties": false
    },
    "destination": {
      "description": "Where a target's values are written.",
      "type": "object",
      "properties": {
        "type": {
          "description": "The kind of target.",
          "type": "string"
        },
        "location": {
          "type": "string"
        },
        "surface": {
          "$ref": "#/$defs/surface"
        }
      },
      "required": [
        "type",
        "location"
      ],
      "additionalProperties": false
    },
    "surface": {
      "description": "Something that the manifest reaches beyond its folder.",
      "type": "object",
      "properties": {
        "kind": {
          "enum": [
            "command",
            "host",
            "path",
            "variable"
          ]
        },
        "text": {
          "type": "string"
        }
      },
      "required": [
        "kind",
        "text"
      ],
      "additionalProperties": false
    },
    "rollback": {
      "description": "An earlier version becomes the current one.",
      "type": "object",
      "properties": {
        "to": {
          "description": "Its number.",
          "type": "integer",
          "minimum": 1
        },
        "was": {
          "description": "The number of the version that was current.",
          "type": "integer",
          "minimum": 1
        },
        "rejected": {
          "description": "The value that no plan takes in while a source gives it.",
          "$ref": "#/$defs/fingerprint"
        }
      },
      "required": [
        "to",
        "was"
      ],
      "additionalProperties": false
    },
    "restoration": {
      "description": "A forgotten key's record comes back.",
      "type": "object",
      "properties": {
        "serial": {
          "description": "The commit that forgot it.",
          "type": "integer",
          "minimum": 0
        },
        "rejected": {
          "description": "The value that no plan takes in while a source gives it.",
          "$ref": "#/$defs/fingerprint"
        }
      },
      "required": [
        "serial"
      ],
      "additionalProperties": false
    },
    "acceptance": {
      "description": "A value is taken from a target.",
      "type": "object",
      "properties": {
        "target": {
          "$ref": "#/$defs/name"
        },
        "destination": {
          "$ref": "#/$defs/destination"
        },
        "name": {
          "description": "The name at the target.",
          "type": "string"
        },
        "rejected": {
          "description": "The value that no plan takes in while a source gives it.",
          "$ref": "#/$defs/fingerprint"
        },
        "mark": {
          "description": "The mark of a value that cannot be read back, and that is left at the target.",
          "type": "string"
        }
      },
      "required": [
        "target",
        "destination",
        "name"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    },
    "accountFacts": {
      "description": "Whose account it is and who is asked about it.",
      "type": "object",
      "properties": {
        "service": {
          "enum": [
            "google",
            "outlook",
            "caldav"
          ]
        },
        "account": {
          "type": "string"
        },
        "client": {
          "type": "string"
        },
        "tenant": {
          "type": "string"
        },
        "url": {
          "type": "string"
        },
        "endpoints": {
          "description": "Addresses that are not the service's usual ones.",
          "type": "object",
          "properties": {
            "authorize": {
              "type": "string"
            },
            "token": {
              "type": "string"
            },
            "device": {
              "type": "string"
            },
            "revoke": {
              "type": "string"
            },
            "api": {
              "type": "string"
            }
          },
          "additionalProperties": false
        }
      },
      "required": [
        "service",
        "account",
        "endpoints"
      ],
      "additionalProperties": false
    },
    "accountCalendar": {
      "description": "A calendar as the service has it. Its name was given there and may hold anything.",
      "type": "object",
      "properties": {
        "id": {
          "type": "string"
        },
        "name": {
          "type": "string"
        },
        "isPrimary": {
          "type": "boolean"
        }
      },
      "required": [
        "id",
        "name",
        "isPrimary"
      ],
      "additionalProperties": false
    },
    "accountNeed": {
      "description": "Why a person must sign in.",
      "type": "object",
      "properties": {
        "facts": {
          "$ref": "#/$defs/accountFacts"
        },
        "reason": {
          "enum": [
            "never",
            "changed",
            "ended",
            "sessionEnded",
            "personNeeded",
            "consentNeeded",
            "rotationLost",
            "otherAccount",
            "testingEnded",
            "notRefreshable",
            "scopesMissing",
            "tooOld"
          ]
        },
        "missing": {
          "description": "Scopes that were asked for and not granted.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "found": {
          "description": "Whom the service answers for, where that is the reason.",
          "type": "string"
        }
      },
      "required": [
        "facts",
        "reason",
        "missing"
      ],
      "additionalProperties": false
    },
    "accountRefresh": {
      "description": "Why the next token is wanted, and how many were stored before.",
      "type": "object",
      "properties": {
        "facts": {
          "$ref": "#/$defs/accountFacts"
        },
        "reason": {
          "enum": [
            "first",
            "expired",
            "refused"
          ]
        },
        "epoch": {
          "type": "integer",
          "minimum": 0
        }
      },
      "required": [
        "facts",
        "reason",
        "epoch"
      ],
      "additionalProperties": false
    },
    "accountSelection": {
      "description": "Which calendar is used from now on; absent where that is known at apply only.",
      "type": "object",
      "properties": {
        "facts": {
          "$ref": "#/$defs/accountFacts"
        },
        "calendar": {
          "$ref": "#/$defs/accountCalendar"
        },
        "wanted": {
          "description": "What the manifest names.",
          "type": "string"
        },
        "was": {
          "$ref": "#/$defs/accountCalendar"
        }
      },
      "required": [
        "facts"
      ],
      "additionalProperties": false
    },
    "accountSignOut": {
      "description": "Whose tokens go, and whether they are revoked.",
      "type": "object",
      "properties": {
        "facts": {
          "$ref": "#/$defs/accountFacts"
        },
        "revokes": {
          "type": "boolean"
        },
        "sparing": {
          "description": "Declared accounts that revoking would sign out, too, so that nothing is revoked.",
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      },
      "required": [
        "facts",
        "revokes"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .show:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan show",
  "description": "What `keyplan show --json` writes: the records of the store, or one of them, without their values. Of a plan file it is what `keyplan plan --json` writes.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "store": {
          "$ref": "#/$defs/store"
        },
        "keys": {
          "description": "By name.",
          "type": "object",
          "propertyNames": {
            "$ref": "#/$defs/name"
          },
          "additionalProperties": {
            "$ref": "#/$defs/key"
          }
        },
        "slots": {
          "description": "By name.",
          "type": "object",
          "propertyNames": {
            "$ref": "#/$defs/name"
          },
          "additionalProperties": {
            "$ref": "#/$defs/slot"
          }
        },
        "targets": {
          "description": "By name.",
          "type": "object",
          "propertyNames": {
            "$ref": "#/$defs/name"
          },
          "additionalProperties": {
            "$ref": "#/$defs/target"
          }
        },
        "accounts": {
          "description": "Calendar accounts, by name.",
          "type": "object",
          "propertyNames": {
            "$ref": "#/$defs/name"
          },
          "additionalProperties": {
            "$ref": "#/$defs/account"
          }
        },
        "recipients": {
          "description": "Who can open the store, by name.",
          "type": "object",
          "propertyNames": {
            "$ref": "#/$defs/name"
          },
          "additionalProperties": {
            "$ref": "#/$defs/recipient"
          }
        },
        "surface": {
          "description": "What the manifest was allowed to touch outside its folder.",
          "type": "array",
          "items": {
            "$ref": "#/$defs/surface"
          }
        },
        "interrupted": {
          "description": "The addresses of steps that began and of which nobody knows whether they ended, with the moment they began.",
          "type": "object",
          "additionalProperties": {
            "$ref": "#/$defs/time"
          }
        }
      },
      "required": [
        "formatVersion",
        "keys",
        "slots",
        "targets",
        "accounts",
        "recipients",
        "surface",
        "interrupted"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "name": {
      "description": "A name as the manifest declares it.",
      "type": "string",
      "pattern": "^[a-z0-9][a-z0-9_-]{0,62}$"
    },
    "store": {
      "description": "The store that was looked at; absent while there is none.",
      "type": "object",
      "properties": {
        "id": {
          "description": "Made at init, never changes.",
          "type": "string"
        },
        "serial": {
          "description": "Counts commits.",
          "type": "integer",
          "minimum": 0
        },
        "epoch": {
          "description": "Counts root keys.",
          "type": "integer",
          "minimum": 0
        },
        "appliedAt": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "id",
        "serial",
        "epoch"
      ],
      "additionalProperties": false
    },
    "fingerprint": {
      "description": "A keyed hash of a value; says nothing without the store's key.",
      "type": "string",
      "pattern": "^[0-9a-f]{32}$"
    },
    "facts": {
      "description": "What is recorded of a key beside its value.",
      "type": "object",
      "properties": {
        "provider": {
          "type": "string"
        },
        "model": {
          "type": "string"
        },
        "variable": {
          "type": "string"
        },
        "ownsVariable": {
          "type": "boolean"
        },
        "expiry": {
          "$ref": "#/$defs/expiry"
        },
        "issued": {
          "$ref": "#/$defs/time"
        },
        "sources": {
          "description": "References, in order.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "isProtected": {
          "type": "boolean"
        },
        "labels": {
          "type": "object",
          "additionalProperties": {
            "type": "string"
          }
        }
      },
      "required": [
        "provider",
        "ownsVariable",
        "sources",
        "isProtected",
        "labels"
      ],
      "additionalProperties": false
    },
    "expiry": {
      "type": "object",
      "properties": {
        "limit": {
          "description": "So many seconds after the key was issued, or at an instant.",
          "oneOf": [
            {
              "type": "object",
              "properties": {
                "after": {
                  "type": "integer"
                }
              },
              "required": [
                "after"
              ],
              "additionalProperties": false
            },
            {
              "type": "object",
              "properties": {
                "on": {
                  "$ref": "#/$defs/time"
                }
              },
              "required": [
                "on"
              ],
              "additionalProperties": false
            }
          ]
        },
        "warn": {
          "description": "Seconds before the end from which it is said.",
          "type": "integer"
        },
        "then": {
          "enum": [
            "warn",
            "retire"
          ]
        }
      },
      "required": [
        "limit",
        "warn",
        "then"
      ],
      "additionalProperties": false
    },
    "destination": {
      "description": "Where a target's values are written.",
      "type": "object",
      "properties": {
        "type": {
          "description": "The kind of target.",
          "type": "string"
        },
        "location": {
          "type": "string"
        },
        "surface": {
          "$ref": "#/$defs/surface"
        }
      },
      "required": [
        "type",
        "location"
      ],
      "additionalProperties": false
    },
    "surface": {
      "description": "Something that the manifest reaches beyond its folder.",
      "type": "object",
      "properties": {
        "kind": {
          "enum": [
            "command",
            "host",
            "path",
            "variable"
          ]
        },
        "text": {
          "type": "string"
        }
      },
      "required": [
        "kind",
        "text"
      ],
      "additionalProperties": false
    },
    "key": {
      "type": "object",
      "properties": {
        "revision": {
          "description": "The serial of the commit that last wrote this record.",
          "type": "integer",
          "minimum": 0
        },
        "facts": {
          "$ref": "#/$defs/facts"
        },
        "version": {
          "$ref": "#/$defs/version"
        },
        "history": {
          "description": "Earlier versions, newest first.",
          "type": "array",
          "items": {
            "$ref": "#/$defs/version"
          }
        },
        "retiredAt": {
          "$ref": "#/$defs/time"
        },
        "rejected": {
          "$ref": "#/$defs/fingerprint",
          "description": "The value that a rollback rejected."
        }
      },
      "required": [
        "revision",
        "facts",
        "version",
        "history"
      ],
      "additionalProperties": false
    },
    "version": {
      "type": "object",
      "properties": {
        "number": {
          "description": "1 for the first value ever stored under this name.",
          "type": "integer",
          "minimum": 1
        },
        "fingerprint": {
          "$ref": "#/$defs/fingerprint"
        },
        "storedAt": {
          "$ref": "#/$defs/time"
        },
        "origin": {
          "description": "The source that it came from; absent where it was given by hand.",
          "type": "string"
        }
      },
      "required": [
        "number",
        "fingerprint",
        "storedAt"
      ],
      "additionalProperties": false
    },
    "slot": {
      "type": "object",
      "properties": {
        "revision": {
          "description": "The serial of the commit that last wrote this record.",
          "type": "integer",
          "minimum": 0
        },
        "key": {
          "$ref": "#/$defs/name",
          "description": "The active key."
        },
        "since": {
          "$ref": "#/$defs/time"
        }
      },
      "required": [
        "revision",
        "key",
        "since"
      ],
      "additionalProperties": false
    },
    "target": {
      "type": "object",
      "properties": {
        "revision": {
          "description": "The serial of the commit that last wrote this record.",
          "type": "integer",
          "minimum": 0
        },
        "destination": {
          "$ref": "#/$defs/destination"
        },
        "entries": {
          "description": "What was written, by name.",
          "type": "object",
          "additionalProperties": {
            "$ref": "#/$defs/entry"
          }
        }
      },
      "required": [
        "revision",
        "destination",
        "entries"
      ],
      "additionalProperties": false
    },
    "entry": {
      "type": "object",
      "properties": {
        "key": {
          "$ref": "#/$defs/name"
        },
        "fingerprint": {
          "$ref": "#/$defs/fingerprint"
        },
        "syncedAt": {
          "$ref": "#/$defs/time",
          "description": "When it was written, or last seen equal by an apply."
        }
      },
      "required": [
        "key",
        "fingerprint",
        "syncedAt"
      ],
      "additionalProperties": false
    },
    "recipient": {
      "type": "object",
      "properties": {
        "publicKey": {
          "type": "string",
          "pattern": "^age1[a-z0-9]+$"
        },
        "role": {
          "enum": [
            "full",
            "plan"
          ]
        }
      },
      "required": [
        "publicKey",
        "role"
      ],
      "additionalProperties": false
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    },
    "accountFacts": {
      "description": "Whose account it is and who is asked about it.",
      "type": "object",
      "properties": {
        "service": {
          "enum": [
            "google",
            "outlook",
            "caldav"
          ]
        },
        "account": {
          "type": "string"
        },
        "client": {
          "type": "string"
        },
        "tenant": {
          "type": "string"
        },
        "url": {
          "type": "string"
        },
        "endpoints": {
          "description": "Addresses that are not the service's usual ones.",
          "type": "object",
          "properties": {
            "authorize": {
              "type": "string"
            },
            "token": {
              "type": "string"
            },
            "device": {
              "type": "string"
            },
            "revoke": {
              "type": "string"
            },
            "api": {
              "type": "string"
            }
          },
          "additionalProperties": false
        }
      },
      "required": [
        "service",
        "account",
        "endpoints"
      ],
      "additionalProperties": false
    },
    "accountCalendar": {
      "description": "A calendar as the service has it. Its name was given there and may hold anything.",
      "type": "object",
      "properties": {
        "id": {
          "type": "string"
        },
        "name": {
          "type": "string"
        },
        "isPrimary": {
          "type": "boolean"
        }
      },
      "required": [
        "id",
        "name",
        "isPrimary"
      ],
      "additionalProperties": false
    },
    "account": {
      "description": "A calendar account's record, without its tokens.",
      "type": "object",
      "properties": {
        "revision": {
          "type": "integer"
        },
        "facts": {
          "$ref": "#/$defs/accountFacts"
        },
        "calendar": {
          "$ref": "#/$defs/accountCalendar"
        },
        "signIn": {
          "$ref": "#/$defs/signIn"
        }
      },
      "required": [
        "revision",
        "facts"
      ],
      "additionalProperties": false
    },
    "signIn": {
      "description": "What is known of its tokens.",
      "type": "object",
      "properties": {
        "signedInAt": {
          "$ref": "#/$defs/time"
        },
        "refreshedAt": {
          "$ref": "#/$defs/time"
        },
        "hasAccessToken": {
          "type": "boolean"
        },
        "accessUntil": {
          "$ref": "#/$defs/time"
        },
        "refreshAt": {
          "description": "When the service would like the next refresh.",
          "$ref": "#/$defs/time"
        },
        "isRefreshable": {
          "type": "boolean"
        },
        "isTesting": {
          "type": "boolean"
        },
        "missing": {
          "description": "Scopes that were asked for and not granted.",
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "endsAt": {
          "$ref": "#/$defs/time"
        },
        "epoch": {
          "description": "Counts the tokens that were stored.",
          "type": "integer"
        },
        "refreshBegan": {
          "$ref": "#/$defs/time"
        },
        "unanswered": {
          "$ref": "#/$defs/time"
        },
        "ended": {
          "description": "The service's no.",
          "type": "object",
          "properties": {
            "reason": {
              "enum": [
                "ended",
                "sessionEnded",
                "personNeeded",
                "consentNeeded",
                "rotationLost",
                "otherAccount"
              ]
            },
            "code": {
              "type": "string"
            },
            "at": {
              "$ref": "#/$defs/time"
            }
          },
          "required": [
            "reason",
            "code",
            "at"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "signedInAt",
        "hasAccessToken",
        "isRefreshable",
        "isTesting",
        "missing",
        "epoch"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    case .storeMove:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan store move",
  "description": "What `keyplan store move --json` writes: where the store was and is, and what was done.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "environment": {
          "description": "The environment; absent for the one without a name.",
          "type": "string"
        },
        "result": {
          "description": "`moved` also where an earlier move was taken up; `there` where the store was at the new place already; `undone` with --undo; `notMoved` and `notUndone` with --dry-run.",
          "enum": [
            "moved",
            "there",
            "notMoved",
            "undone",
            "notUndone"
          ]
        },
        "store": {
          "description": "Which store it is, and where it stands: at `to`, or before anything was done at the place that would be changed.",
          "type": "object",
          "properties": {
            "id": {
              "description": "Made at init, never changes.",
              "type": "string"
            },
            "serial": {
              "description": "Counts commits.",
              "type": "integer",
              "minimum": 0
            },
            "epoch": {
              "description": "Counts root keys.",
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "id",
            "serial",
            "epoch"
          ],
          "additionalProperties": false
        },
        "from": {
          "description": "Where the store was; with --undo, the place that is lost.",
          "$ref": "#/$defs/place"
        },
        "to": {
          "description": "Where it is; with --undo, the place that it was moved away from before.",
          "$ref": "#/$defs/place"
        },
        "rows": {
          "description": "How many sealed rows were copied, or would be; with `there`, how many are left at the old place; with --undo, how many there are, as they were when they were marked.",
          "type": "object",
          "properties": {
            "records": {
              "type": "integer",
              "minimum": 0
            },
            "values": {
              "description": "Of all versions that are kept.",
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "records",
            "values"
          ],
          "additionalProperties": false
        },
        "digest": {
          "description": "SHA-256 over all rows of the two places, which were equal to the byte; 64 hex digits. Only with `moved`.",
          "type": "string",
          "pattern": "^[0-9a-f]{64}$"
        },
        "marked": {
          "description": "The place that says from now on where the store went, and the serial of the commit that marked it. With --undo, the mark that is taken away, and when it was made. Absent with `notMoved`.",
          "type": "object",
          "properties": {
            "place": {
              "$ref": "#/$defs/place"
            },
            "serial": {
              "type": "integer",
              "minimum": 0
            },
            "at": {
              "$ref": "#/$defs/time"
            }
          },
          "required": [
            "place",
            "serial"
          ],
          "additionalProperties": false
        },
        "isResumed": {
          "description": "Whether an earlier move had been cut off, and was taken up.",
          "type": "boolean"
        },
        "setting": {
          "description": "What `store` in the manifest has to say for the new place; absent where the manifest needs no such word.",
          "type": "string"
        },
        "lost": {
          "description": "With --undo: the server could not be asked; there is no store; there is another store.",
          "enum": [
            "unreachable",
            "absent",
            "anotherStore"
          ]
        }
      },
      "required": [
        "formatVersion",
        "result",
        "store",
        "from",
        "to",
        "rows",
        "isResumed"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "place": {
      "description": "For people on any machine: a file by its absolute path, or an address without user and password.",
      "type": "string"
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    },
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    }
  }
}

"""##
    case .unlock:
##"""
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "keyplan unlock",
  "description": "What `keyplan unlock --json` writes: who holds the store's lock, and those of its calendar accounts.",
  "oneOf": [
    {
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "holder": {
          "description": "Absent while nobody holds it.",
          "type": "object",
          "properties": {
            "process": {
              "description": "The process id on the host.",
              "type": "integer"
            },
            "host": {
              "type": "string"
            },
            "since": {
              "$ref": "#/$defs/time"
            },
            "command": {
              "description": "What it runs, `keyplan apply`.",
              "type": "string"
            },
            "id": {
              "description": "By which the lock of a store on a server can be broken: `keyplan unlock ID`. Absent for a store in a file.",
              "type": "integer"
            },
            "job": {
              "description": "Where the CI job that holds it can be seen.",
              "type": "string"
            },
            "silentFor": {
              "description": "For how many seconds nothing was heard of the holder. After 15 the lock ends.",
              "type": "integer"
            }
          },
          "required": [
            "process",
            "host",
            "since",
            "command"
          ],
          "additionalProperties": false
        },
        "accounts": {
          "description": "The locks of calendar accounts that are held. Absent after a lock was broken.",
          "type": "array",
          "items": {
            "description": "Who holds the lock of an account.",
            "type": "object",
            "properties": {
              "account": {
                "description": "Its name; absent where the manifest has no account to which the lock belongs. A server does not know names.",
                "type": "string"
              },
              "process": {
                "description": "The process id on the host.",
                "type": "integer"
              },
              "host": {
                "type": "string"
              },
              "since": {
                "$ref": "#/$defs/time"
              },
              "command": {
                "description": "What it runs, `keyplan apply`.",
                "type": "string"
              },
              "id": {
                "description": "By which the lock of an account of a store on a server can be broken: `keyplan unlock ID --account NAME`. Absent for a store in a file.",
                "type": "integer"
              },
              "job": {
                "description": "Where the CI job that holds it can be seen.",
                "type": "string"
              },
              "silentFor": {
                "description": "For how many seconds nothing was heard of the holder. After 15 the lock ends.",
                "type": "integer"
              }
            },
            "required": [
              "process",
              "host",
              "since",
              "command"
            ],
            "additionalProperties": false
          }
        }
      },
      "required": [
        "formatVersion"
      ],
      "additionalProperties": false
    },
    {
      "$ref": "#/$defs/error"
    }
  ],
  "$defs": {
    "time": {
      "description": "An instant, ISO 8601 in UTC, whole seconds.",
      "type": "string",
      "pattern": "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}Z$"
    },
    "error": {
      "description": "What is written in the place of a command's own document, where that cannot be made: why, and the exit code. Nothing else has `exitCode`.",
      "type": "object",
      "properties": {
        "formatVersion": {
          "description": "Grows when a reader of the older form would misread the newer one.",
          "const": 1
        },
        "exitCode": {
          "description": "The exit code that the command ends with.",
          "type": "integer",
          "minimum": 1
        },
        "diagnostics": {
          "description": "Errors stand first.",
          "type": "array",
          "minItems": 1,
          "items": {
            "type": "object",
            "properties": {
              "severity": {
                "enum": [
                  "error",
                  "warning"
                ]
              },
              "code": {
                "description": "One of those of the diagnostics schema; absent where the command ended early for another reason than the manifest, which `exitCode` tells.",
                "type": "string"
              },
              "summary": {
                "type": "string"
              },
              "detail": {
                "description": "Whole sentences about this case.",
                "type": "string"
              },
              "hint": {
                "description": "What to do.",
                "type": "string"
              },
              "place": {
                "description": "A place in a file.",
                "type": "object",
                "properties": {
                  "file": {
                    "type": "string"
                  },
                  "line": {
                    "type": "integer",
                    "minimum": 1
                  },
                  "column": {
                    "description": "In code points.",
                    "type": "integer",
                    "minimum": 1
                  },
                  "width": {
                    "description": "How many code points are meant.",
                    "type": "integer",
                    "minimum": 1
                  }
                },
                "required": [
                  "file",
                  "line",
                  "column",
                  "width"
                ],
                "additionalProperties": false
              },
              "address": {
                "description": "What it is about, as people type it: key.NAME, target.NAME.",
                "type": "string"
              },
              "failure": {
                "description": "Why a place outside could not be asked, used or written. Absent where that is not what it is about.",
                "enum": [
                  "denied",
                  "unauthenticated",
                  "throttled",
                  "sealed",
                  "unreachable",
                  "unreadable"
                ]
              },
              "blocks": {
                "enum": [
                  "everything",
                  "itself"
                ]
              }
            },
            "required": [
              "severity",
              "summary",
              "detail"
            ],
            "additionalProperties": false
          }
        },
        "summary": {
          "type": "object",
          "properties": {
            "errors": {
              "type": "integer",
              "minimum": 1
            },
            "warnings": {
              "type": "integer",
              "minimum": 0
            }
          },
          "required": [
            "errors",
            "warnings"
          ],
          "additionalProperties": false
        }
      },
      "required": [
        "formatVersion",
        "exitCode",
        "diagnostics",
        "summary"
      ],
      "additionalProperties": false
    }
  }
}

"""##
    }
  }
}
