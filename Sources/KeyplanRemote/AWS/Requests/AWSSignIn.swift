import KeyplanModel
import KeyplanServices
import Synchronization

/// The credential of a connection, found once per run and shared by all requests.
final class AWSSignIn: Sendable {
  private let make: @Sendable () async throws(RemoteFailure) -> AWSCredentials
  private let now: @Sendable () -> Int64
  private let results = SharedResults<AWSCredentials>()
  /// Counts the credentials: one that has expired is replaced.
  private let generation = Mutex(0)

  /// A credential that ends this soon is replaced, in seconds: a request must not arrive too late.
  private static let margin: Int64 = 60

  init(
    now: @escaping @Sendable () -> Int64, make: @escaping @Sendable () async throws(RemoteFailure) -> AWSCredentials
  ) {
    self.now = now
    self.make = make
  }

  func credentials() async throws(RemoteFailure) -> AWSCredentials {
    let found = try await current()
    guard let expires = found.expires, expires - now() < Self.margin else { return found }
    renew(after: found)
    return try await current()
  }

  /// Makes the next request look for a credential again, unless that has been done since.
  func renew(after credentials: AWSCredentials) {
    generation.withLock { generation in
      if renewed.withLock({ $0.insert(ObjectIdentifier(credentials.secretAccessKey)).inserted }) { generation += 1 }
    }
  }

  private let renewed = Mutex<Set<ObjectIdentifier>>([])

  private func current() async throws(RemoteFailure) -> AWSCredentials {
    let result = await results.value("\(generation.withLock { $0 })") { [make] in
      do throws(RemoteFailure) {
        return .success(try await make())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
