package import KeyplanReporting

/// Limits of the requests that programs send to a credential helper.
package enum HelperRequest {
  /// No program sends more than some hundred bytes.
  package static let limit = 64 << 10

  /// Rejects a field that could continue as another line of a protocol, even if it is percent-encoded: nothing is decoded here, but another
  /// program may have decoded it, or may do so later. The field is not quoted.
  package static func check(_ field: some Collection<UInt8>, _ name: String) throws(Failure) {
    var (beforeLast, last) = (UInt8(0x20), UInt8(0x20))
    for byte in field {
      let isEncoded = beforeLast == UInt8(ascii: "%") && last == UInt8(ascii: "0") && "aAdD0".utf8.contains(byte)
      guard !isEncoded, !endsLine(byte) else { throw .refused(name) }
      (beforeLast, last) = (last, byte)
    }
  }

  package static func check(_ field: String, _ name: String) throws(Failure) { try check(field.utf8, name) }

  static func endsLine(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D || byte == 0 }
}

extension Failure {
  fileprivate static func refused(_ field: String) -> Failure {
    Failure(
      .failed, "Request refused", "The \(field) in the program's request contains a line break or NUL.",
      hint: "Check the URL that the program was given: it may be an attempt to get a key for another host.")
  }

  static func malformedRequest(_ problem: String) -> Failure {
    Failure(
      .failed, "Malformed request", problem,
      hint: "Only the program runs a helper. For its configuration, add --setup to the helper's command line.")
  }

  package static let requestTooLarge = Failure(
    .failed, "Malformed request", "The program's request exceeds \(HelperRequest.limit >> 10) KiB.")
}
