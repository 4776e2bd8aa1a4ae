/// The reason that a request cannot be made. It was not sent.
package enum RequestFault: Error, Hashable {
  /// The variable that an address needs has no value.
  case noValue(String)
  /// The variable's value cannot be a segment of a path: empty, a dot segment, or with control characters.
  case notASegment(String)
  /// The variable's value cannot be in a header.
  case notAHeader(String)
  /// Not UTF-8, and the service takes text.
  case notText
  /// The service's public key is not one.
  case notAPublicKey
  /// The access key or the region that a signature needs is not one.
  case notAnAccessKey
  /// Two entries would have one name.
  case duplicateName
  /// The address is not valid.
  case address
}
