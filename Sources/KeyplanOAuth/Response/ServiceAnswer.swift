import KeyplanDocuments
import KeyplanHTTP
import KeyplanSecrets

/// The parsed response of an OAuth endpoint: only the fields in use are accessible.
struct ServiceAnswer {
  let status: Int
  let pause: Duration?
  private let document: JSONDocument?

  init(_ response: HTTPResponse) {
    status = response.status
    pause = response.pauseInHeader
    let bytes = response.body.withBytes { Array($0) }
    let isEmpty = bytes.allSatisfy { $0 <= 0x20 }
    let document = isEmpty ? nil : try? JSONDocument(bytes)
    // Strings, numbers and arrays are JSON too, but not valid responses.
    self.document = document.flatMap { $0.names.isEmpty ? nil : $0 }
  }

  /// Whether it is a JSON object.
  var isObject: Bool { document != nil }

  /// A string, or the source text of a number: services use both.
  func text(_ name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

  func secret(_ name: String) -> SecretBox? { bytes(name).flatMap { $0.isEmpty ? nil : SecretBox($0) } }

  /// Seconds, possibly as a fraction or a string; nil if negative or more than ten years.
  func seconds(_ name: String) -> Int64? {
    guard let text = text(name), let value = Double(text), value >= 0, value <= 315_360_000 else { return nil }
    return Int64(value)
  }

  private func bytes(_ name: String) -> [UInt8]? {
    guard case .text(let bytes)? = try? document?.value(at: name) else { return nil }
    return bytes
  }

  /// The error code: `error` (RFC 6749), Google's `error_code`, or the status inside an error object of Google's API.
  var error: String? {
    guard let text = text("error") ?? text("/error/status") ?? text("error_code") ?? text("/error/code") else {
      return isObject && hasErrorObject ? "error" : nil
    }
    return Self.code(text)
  }

  /// Whether it is an error in the standard form (RFC 6749, section 5.2).
  var isOAuthError: Bool { (status == 400 || status == 401) && text("error") != nil }

  /// Microsoft's and Google's more specific codes.
  var suberror: String? { (text("suberror") ?? text("error_subtype")).map(Self.code) }

  /// Microsoft's numbers (AADSTS…): only for display.
  var numbers: [Int] {
    let listed = (0..<4).compactMap { text("/error_codes/\($0)").flatMap { Int($0) } }
    return listed.isEmpty ? described.map { [$0] } ?? [] : listed
  }

  /// The number at which Microsoft's description begins. The rest of it may quote the request.
  private var described: Int? {
    guard let text = text("error_description"), text.hasPrefix("AADSTS") else { return nil }
    return Int(text.dropFirst("AADSTS".count).prefix { $0.isASCII && $0.isNumber }.prefix(9))
  }

  private var hasErrorObject: Bool { (try? document?.value(at: "error")) == .other(.object) }

  /// A code that is safe to display; anything else might quote the request.
  static func code(_ text: String) -> String {
    let isCode = text.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || [0x5F, 0x2D, 0x2E].contains(byte)
    }
    return isCode && (1...64).contains(text.utf8.count) ? text.lowercased() : "unknown"
  }
}
