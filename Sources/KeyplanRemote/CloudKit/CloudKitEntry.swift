import KeyplanCloudKit
import KeyplanServices

/// The result of looking up one name.
enum CloudKitEntry: Sendable {
  case record(CloudKitRecord)
  case several
  /// Whether there is a record is unknown.
  case failed(RemoteFailure)
}
