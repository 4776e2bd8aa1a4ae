internal import KeyplanJSON
package import KeyplanModel
package import KeyplanReporting
package import KeyplanSecrets

/// A value that a helper may pass on.
package struct HelperCredential: Redacted, Sendable {
  package let value: SecretBox
  /// The expiry at its provider; nil if unknown. The expiry of a policy does not count: until an apply, its key stays in use.
  package let end: Moment?

  /// - Throws: for a value that is not one line of text. It could continue as another line of a protocol or as another header.
  package init(_ value: SecretBox, of name: String, until end: Moment? = nil) throws(Failure) {
    let problem: String? = value.withBytes { bytes in
      if bytes.isEmpty { return "is empty" }
      if bytes.contains(where: HelperRequest.endsLine) { return "contains a line break or NUL" }
      return invalidUTF8(in: bytes) == nil ? nil : "is not UTF-8 text"
    }
    if let problem {
      throw Failure(
        .failed, "Value cannot be passed on", "The value of \"\(name)\" \(problem).",
        hint: "A helper passes on one line of text. Store the value as one.")
    }
    (self.value, self.end) = (value, end)
  }
}
