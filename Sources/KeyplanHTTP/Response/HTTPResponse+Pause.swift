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

  /// The time of the service's clock (`Date`), in seconds since 1970.
  package var date: Int64? { header("Date").flatMap(RetryAfter.seconds(ofDate:)) }
}
