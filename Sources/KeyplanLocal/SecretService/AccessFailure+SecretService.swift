import KeyplanModel

extension AccessFailure {
  private static let unlocking = "Unlock the keyring, and try again."

  static let lockedItem = AccessFailure(.sealed, "The item is in a locked keyring.", hint: unlocking)

  /// A miss while a keyring is locked.
  static let lockedKeyring = AccessFailure(
    .sealed, "The item was not found, but a keyring is locked and can contain it.", hint: unlocking)

  static let prompt = AccessFailure(
    .sealed, "The keyring's program wants to prompt for this, which keyplan does not allow.", hint: unlocking)

  static let noKeyring = AccessFailure(
    .unreachable, "The Secret Service has no default keyring.",
    hint: "Create one, for example by signing in to the desktop or with Seahorse.")

  static let noSessionBus = AccessFailure(
    .unreachable, "There is no D-Bus session bus to find the keyring's program on.",
    hint: "Run keyplan in a desktop session, or set DBUS_SESSION_BUS_ADDRESS.")

  static func duplicates(_ count: Int) -> AccessFailure {
    AccessFailure(.unreadable, "\(count) items have these attributes.", hint: "Remove all but one of them.")
  }

  /// An error of a call. Error names are of the D-Bus specification and of the Secret Service's.
  init(_ failure: SessionBus.Failure) {
    switch failure.name {
    case "org.freedesktop.Secret.Error.IsLocked": self = .lockedItem
    case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed":
      self.init(.denied, "The session bus does not allow access to the keyring.")
    case "org.freedesktop.DBus.Error.ServiceUnknown", "org.freedesktop.DBus.Error.NameHasNoOwner":
      self.init(
        .unreachable, "No program on the session bus provides the Secret Service.",
        hint: "Start a keyring that does, such as GNOME Keyring.")
    case let name where name.hasPrefix("org.freedesktop.DBus.Error.Spawn."):
      self.init(.unreachable, "The keyring's program could not be started by the session bus.")
    case "org.freedesktop.DBus.Error.Timeout", "org.freedesktop.DBus.Error.NoReply",
      "org.freedesktop.DBus.Error.TimedOut":
      self.init(
        .unreachable, "The keyring's program did not answer within 10 seconds.",
        hint: "Look for a prompt of the keyring, and close it.")
    case "org.freedesktop.DBus.Error.Disconnected", "org.freedesktop.DBus.Error.NoServer",
      _ where failure.name.hasPrefix("System.Error."):
      self.init(.unreachable, "The connection to the session bus was lost.")
    case "": self.init(.unreadable, "The keyring's program answered in an unexpected form.")
    default: self.init(.unreadable, "The keyring's program refused the request.")
    }
  }
}

extension SessionBus.Failure {
  /// Whether the other program certainly did nothing.
  var isRefusal: Bool {
    !name.isEmpty && AccessFailure(self).kind != .unreachable
      || name == "org.freedesktop.DBus.Error.ServiceUnknown" || name == "org.freedesktop.DBus.Error.NameHasNoOwner"
  }
}
