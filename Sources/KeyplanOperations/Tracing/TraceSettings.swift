internal import KeyplanHTTP
internal import KeyplanReporting
internal import KeyplanSecrets

/// The destination of spans, according to OpenTelemetry's variables (Environment Variable Specification; OTLP Exporter).
struct TraceSettings: Sendable {
  let address: HTTPAddress
  let headers: [(name: String, value: SecretBox)]
  let timeout: Duration
  let resource: [(name: String, value: String)]

  /// Nil if the environment configures none.
  /// - Throws: the error in the variables.
  init?(_ variable: (String) -> String?) throws(Unusable) {
    let own = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
    guard let endpoint = own ?? variable("OTEL_EXPORTER_OTLP_ENDPOINT"),
      variable("OTEL_SDK_DISABLED")?.lowercased() != "true", variable("OTEL_TRACES_EXPORTER") != "none",
      variable("OTEL_TRACES_SAMPLER") != "always_off"
    else { return nil }
    let form = variable("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") ?? variable("OTEL_EXPORTER_OTLP_PROTOCOL")
    guard form != "grpc" else {
      throw Unusable(
        detail: "keyplan sends spans over HTTP, not over gRPC.",
        hint: "Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json, and the collector's address for HTTP (usually port 4318).")
    }
    // The variable for traces has the complete address, the general one is the base of several.
    let text = own ?? (endpoint.hasSuffix("/") ? endpoint : endpoint + "/") + "v1/traces"
    do throws(HTTPError) {
      address = try HTTPAddress(text)
    } catch {
      throw Unusable(detail: "\(error).", hint: error.hint)
    }
    let pairs = variable("OTEL_EXPORTER_OTLP_TRACES_HEADERS") ?? variable("OTEL_EXPORTER_OTLP_HEADERS") ?? ""
    headers = Self.pairs(pairs).map { ($0.name, SecretBox(Array($0.value.utf8))) }
    let limit = variable("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT") ?? variable("OTEL_EXPORTER_OTLP_TIMEOUT")
    timeout = .milliseconds(limit.flatMap { Int64($0) }.map { max(1, min($0, 60_000)) } ?? 10_000)
    var resource = Self.pairs(variable("OTEL_RESOURCE_ATTRIBUTES") ?? "")
    if let name = variable("OTEL_SERVICE_NAME") {
      resource.removeAll { $0.name == "service.name" }
      resource.append(("service.name", name))
    }
    if !resource.contains(where: { $0.name == "service.name" }) { resource.append(("service.name", "keyplan")) }
    self.resource = resource
  }

  struct Unusable: Error {
    let detail: String
    let hint: String?
  }

  /// `name=value,name=value`, percent-encoded.
  private static func pairs(_ text: String) -> [(name: String, value: String)] {
    text.split(separator: ",").compactMap { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let name = decoded(parts[0]), let value = decoded(parts[1]), !name.isEmpty else {
        return nil
      }
      return (name, value)
    }
  }

  private static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8.drop { $0 == 0x20 }
    while rest.last == 0x20 { rest.removeLast() }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let code = String(rest.prefix(2)), code.utf8.count == 2, let number = UInt8(code, radix: 16) else {
        return nil
      }
      rest = rest.dropFirst(2)
      bytes.append(number)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
