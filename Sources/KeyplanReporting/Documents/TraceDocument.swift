/// A timed part of a command.
package struct Span: Sendable {
  /// 16 hexadecimal digits.
  package let id: String
  /// Of the span that it is a part of; nil for none.
  package let parent: String?
  package let name: String
  package var attributes: [(name: String, value: Value)]
  /// Nanoseconds since 1970.
  package let start: UInt64
  package var end: UInt64
  /// The reason that it failed; nil if it did not.
  package var failure: String?

  package enum Value: Sendable {
    case text(String)
    case number(Int64)
  }

  package init(
    _ id: String, in parent: String?, _ name: String, _ attributes: [(name: String, value: Value)] = [],
    from start: UInt64
  ) {
    (self.id, self.parent, self.name, self.attributes, self.start, end) = (id, parent, name, attributes, start, start)
  }
}

/// Spans in the form of OpenTelemetry's collectors: the JSON form of `ExportTraceServiceRequest` (OTLP 1.x), in which 64-bit numbers are
/// strings, ids hexadecimal digits and enumerations numbers.
package struct TraceDocument: Encodable {
  private let resourceSpans: [ResourceSpans]

  /// - Parameters:
  ///   - trace: 32 hexadecimal digits.
  ///   - resource: the attributes that identify the program, such as `service.name`.
  package init(_ spans: [Span], of trace: String, by resource: [(name: String, value: String)], version: String) {
    let scope = ScopeSpans(
      scope: Scope(name: "keyplan", version: version), spans: spans.map { SpanFields($0, of: trace) })
    let attributes = resource.map { Attribute($0.name, .text($0.value)) }
    resourceSpans = [ResourceSpans(resource: Resource(attributes: attributes), scopeSpans: [scope])]
  }

  private struct ResourceSpans: Encodable {
    let resource: Resource
    let scopeSpans: [ScopeSpans]
  }

  private struct Resource: Encodable { let attributes: [Attribute] }

  private struct ScopeSpans: Encodable {
    let scope: Scope
    let spans: [SpanFields]
  }

  private struct Scope: Encodable { let name, version: String }

  private struct SpanFields: Encodable {
    let traceId, spanId: String
    let parentSpanId: String?
    let name: String
    /// SPAN_KIND_INTERNAL.
    let kind = 1
    let startTimeUnixNano, endTimeUnixNano: String
    let attributes: [Attribute]
    let status: Status?

    init(_ span: Span, of trace: String) {
      (traceId, spanId, parentSpanId, name) = (trace, span.id, span.parent, span.name)
      (startTimeUnixNano, endTimeUnixNano) = ("\(span.start)", "\(span.end)")
      attributes = span.attributes.map { Attribute($0.name, $0.value) }
      status = span.failure.map { Status(message: $0) }
    }

    private enum CodingKeys: String, CodingKey {
      case traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status
    }
  }

  private struct Status: Encodable {
    /// STATUS_CODE_ERROR.
    let code = 2
    let message: String

    private enum CodingKeys: String, CodingKey { case code, message }
  }

  private struct Attribute: Encodable {
    let key: String
    let value: Content

    init(_ key: String, _ value: Span.Value) {
      self.key = key
      self.value =
        switch value {
        case .text(let text): Content(stringValue: text, intValue: nil)
        case .number(let number): Content(stringValue: nil, intValue: "\(number)")
        }
    }
  }

  private struct Content: Encodable {
    let stringValue, intValue: String?
  }
}
