import KeyplanCloudKit
import KeyplanServices

/// What there is under one name.
enum CloudKitEntry: Sendable {
  case record(CloudKitRecord)
  case several
  /// Whether there is a record is unknown.
  case failed(RemoteFailure)
}
