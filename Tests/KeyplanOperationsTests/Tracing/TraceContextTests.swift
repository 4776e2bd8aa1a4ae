import KeyplanHTTP
import KeyplanSecrets
import Testing

@testable import KeyplanOperations

@Suite("A trace's context")
struct TraceContextTests {
  private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
  private static let span = "00f067aa0ba902b7"

  @Test("is read as the specification says (W3C Trace Context, section 3.2.2)")
  func valid() throws {
    let context = try #require(TraceContext("00-\(Self.trace)-\(Self.span)-01"))
    #expect(context == TraceContext(trace: Self.trace, span: Self.span))
    #expect(context.text == "00-\(Self.trace)-\(Self.span)-01")
    #expect(TraceContext("00-\(Self.trace)-\(Self.span)-00")?.isSampled == false)
    #expect(TraceContext("cc-\(Self.trace)-\(Self.span)-03-what-comes-later")?.isSampled == true)
  }

  @Test(
    "is nothing where it is invalid",
    arguments: [
      "", "00", "00-\(trace)-\(span)", "00-\(trace)-\(span)-01-more", "ff-\(trace)-\(span)-01", "0-\(trace)-\(span)-01",
      "00-\(trace.uppercased())-\(span)-01", "00-\(trace)-\(span)-0g", "00-\(trace.dropLast())-\(span)-01",
      "00-00000000000000000000000000000000-\(span)-01", "00-\(trace)-0000000000000000-01", "00-\(trace)-\(span)-001",
    ])
  func invalid(_ text: String) { #expect(TraceContext(text) == nil) }

  @Test("has random identifiers")
  func identifiers() {
    let all = (0..<1000).map { _ in TraceContext.identifier(16) }
    #expect(Set(all).count == 1000)
    #expect(all.allSatisfy { TraceContext("00-\(Self.trace)-\($0)-01") != nil })
  }
}

@Suite("Variables of traces")
struct TraceSettingsTests {
  private func settings(_ variables: [String: String]) throws -> TraceSettings? { try TraceSettings { variables[$0] } }

  @Test("name the address, the headers and the program")
  func read() throws {
    let settings = try #require(
      try settings([
        "OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com:4318/otlp/",
        "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%3Db%2C%20c, x-team = keys ,broken",
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=other,deployment.environment.name=ci", "OTEL_SERVICE_NAME": "secrets",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "1500",
      ]))
    #expect(settings.address.text == "https://collector.example.com:4318/otlp/v1/traces")
    #expect(settings.headers.map(\.name) == ["api-key", "x-team"])
    let values = settings.headers.map { header in header.value.withBytes { String(decoding: $0, as: UTF8.self) } }
    #expect(values == ["a=b, c", "keys"])
    #expect(
      settings.resource.map { "\($0.name)=\($0.value)" } == ["deployment.environment.name=ci", "service.name=secrets"])
    #expect(settings.timeout == .milliseconds(1500))
    let own = try self.settings(["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/spans"])
    #expect(own?.address.text == "http://127.0.0.1:4318/spans")
    #expect(own?.resource.map(\.value) == ["keyplan"])
  }

  @Test(
    "ask for nothing",
    arguments: [
      [:], ["OTEL_SDK_DISABLED": "TRUE"], ["OTEL_TRACES_EXPORTER": "none"], ["OTEL_TRACES_SAMPLER": "always_off"],
    ])
  func none(_ variables: [String: String]) throws {
    let endpoint = variables.isEmpty ? [:] : ["OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com"]
    #expect(try settings(variables.merging(endpoint) { $1 }) == nil)
  }

  @Test(
    "are refused where nothing could be sent",
    arguments: [
      ["OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"], ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector.example.com:4318"],
      ["OTEL_EXPORTER_OTLP_ENDPOINT": "collector"],
    ])
  func unusable(_ variables: [String: String]) {
    let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector.example.com"]
    #expect(throws: TraceSettings.Unusable.self) { _ = try settings(endpoint.merging(variables) { $1 }) }
  }
}
