internal import ArgumentParser

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A signal that tells a program to read its configuration again: `HUP` or `SIGHUP`.
struct SignalName: ExpressibleByArgument {
  let number: Int32

  private static let numbers = [
    "HUP": SIGHUP, "INT": SIGINT, "QUIT": SIGQUIT, "TERM": SIGTERM, "USR1": SIGUSR1, "USR2": SIGUSR2, "WINCH": SIGWINCH,
  ]

  init?(argument: String) {
    let name = argument.uppercased()
    guard let number = Self.numbers[name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name] else { return nil }
    self.number = number
  }

  static let allValueStrings = ["HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "WINCH"]
  static let allValueDescriptions: [String: String] = [:]
}
