internal import KeyplanFiles
internal import KeyplanReporting

extension Failure {
  /// The identity's file cannot be used, perhaps because a container runtime mounted it in a way in which its reader cannot change it.
  static func unusableIdentity(_ error: FileError) -> Failure {
    let hint =
      switch error.code {
      case .otherOwner, .providedTooOpen:
        "Mount it so that it belongs to root with mode 0440 and a group of this process, or to this user with mode 0400. "
          + "In a container, KEYPLAN_IDENTITY can contain the identity itself."
      default: error.hint
      }
    return Failure(.storeRefused, "Invalid identity", error.description, hint: hint)
  }
}

extension Warning {
  /// Outside of a container there are other users.
  static func publicIdentity(_ path: String) -> Warning {
    Warning(
      "Identity is readable by everybody", "All users of this machine can read \(path), and thereby open the store.",
      hint: "Mount it with mode 0440, and a group of this process.")
  }
}
