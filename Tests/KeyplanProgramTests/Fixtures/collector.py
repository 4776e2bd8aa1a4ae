#!/usr/bin/env python3
"""A collector of traces on loopback: reads each request with OpenTelemetry's own messages, and writes what it understood.

    collector.py FILE [STATUS]

Prints its port. FILE gets a line of JSON for each request: its headers, its spans, or what is wrong with it.
"""

import base64
import http.server
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2


def to_base64(span):
    """Ids are hexadecimal in OTLP's JSON, and base64 in protobuf's."""
    for name in ("traceId", "spanId", "parentSpanId"):
        if name in span:
            if span[name] != span[name].lower():
                raise ValueError(f"{name} is not in lower case")
            span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    for number in (span.get("kind", 0), span.get("status", {}).get("code", 0)):
        if not isinstance(number, int):
            raise ValueError("an enumeration is not a number")


def understood(body):
    document = json.loads(body)
    for resource in document["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                to_base64(span)
    message = json_format.ParseDict(document, trace_service_pb2.ExportTraceServiceRequest())
    spans = []
    for resource in message.resource_spans:
        service = {one.key: one.value.string_value for one in resource.resource.attributes}
        for scope in resource.scope_spans:
            for span in scope.spans:
                values = {one.key: one.value.string_value or str(one.value.int_value) for one in span.attributes}
                if not 0 < span.start_time_unix_nano <= span.end_time_unix_nano:
                    raise ValueError("the times are not in order")
                spans.append({
                    "name": span.name, "trace": span.trace_id.hex(), "id": span.span_id.hex(),
                    "parent": span.parent_span_id.hex(), "status": span.status.code, "reason": span.status.message,
                    "subject": values.get("keyplan.subject", ""), "code": values.get("process.exit.code", ""),
                    "service": service.get("service.name", ""),
                })
    return spans


class Collector(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        found = {"path": self.path, "team": self.headers.get("X-Team", ""), "spans": [], "fault": ""}
        try:
            if self.headers["Content-Type"] != "application/json":
                raise ValueError("the content type is " + self.headers["Content-Type"])
            found["spans"] = understood(body)
        except Exception as error:  # whatever it is, the test shows it
            found["fault"] = f"{type(error).__name__}: {error}"
        found["body"] = body.decode(errors="replace")
        with open(sys.argv[1], "a", encoding="utf-8") as file:
            file.write(json.dumps(found) + "\n")
        self.send_response(int(sys.argv[2]) if len(sys.argv) > 2 else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
