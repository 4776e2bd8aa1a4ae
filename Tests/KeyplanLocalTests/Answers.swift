import KeyplanLocal
import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import TestTools

/// An answer as it can be compared.
enum Told: Equatable, Sendable {
  case value(String), missing, failed(AccessFailure.Kind, String)

  static func unreachable(_ reason: String) -> Told { .failed(.unreachable, reason) }
  static func unreadable(_ reason: String) -> Told { .failed(.unreadable, reason) }

  init(_ answer: SourceAnswer) {
    self =
      switch answer {
      case .value(let secret): .value(secret.withBytes { String(decoding: $0, as: UTF8.self) })
      case .missing: .missing
      case .failed(let failure): .failed(failure.kind, failure.reason)
      }
  }
}

extension SecretSource {
  func tell(_ references: [Reference]) async -> [Told] { await read(references).map(Told.init) }

  func tell(_ reference: Reference) async -> Told? { await tell([reference]).first }
}

extension SourceContext {
  init(_ scratch: Scratch, variables: [String: String] = [:], home: String? = nil) {
    self.init(variables: variables, folder: scratch.path, home: home)
  }
}

extension Reference {
  static func env(_ name: String) -> Reference { Reference(scheme: "env", location: name, isLocal: true) }

  static func file(_ scheme: String, _ path: String, _ selector: String? = nil, allowed: String? = nil) -> Reference {
    Reference(
      scheme: scheme, location: path, selector: selector, isFile: true, isLocal: true,
      surface: allowed.map { ExternalAccess(.path, $0) })
  }

  static func command(
    _ arguments: [String], seconds: Int64? = nil, variables: [String] = [], directory: String? = nil
  ) -> Reference {
    Reference(
      scheme: "command", arguments: arguments, timeout: seconds.map { Interval(seconds: $0) }, variables: variables,
      directory: directory, isLocal: false, surface: ExternalAccess(.command, arguments.joined(separator: " ")))
  }

  static func shell(_ script: String, seconds: Int64? = nil, variables: [String] = []) -> Reference {
    command(["sh", "-c", script], seconds: seconds, variables: variables, directory: ".")
  }
}
