#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension HTTPResponse {
  /// The pause that the service requests with `Retry-After`.
  package var pauseInHeader: Duration? {
    header("Retry-After").flatMap { RetryAfter.pause($0, date: header("Date"), now: Int64(time(nil))) }
  }
}
