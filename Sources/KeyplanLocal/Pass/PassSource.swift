import KeyplanFiles
package import KeyplanModel
package import KeyplanPorts
import KeyplanSecrets

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// `pass://NAME`: an entry of the password store of `pass` (and gopass): a file that gpg decrypts.
package struct PassSource: SecretSource {
  package static let backend = BackendDescription(
    "pass", help: "Entries of the password store of pass and gopass, decrypted by gpg.",
    reference: ReferenceGrammar(
      .place(what: "the name of an entry"), selector: .field, example: "pass://services/example#user", isLocal: true,
      isOutside: true,
      help:
        "The first line of an entry in $PASSWORD_STORE_DIR, by default ~/.password-store; with # the value of a line "
        + "\"FIELD: VALUE\" after it. gpg is not allowed to ask for a passphrase: gpg-agent must have it already. "
        + "Each entry requires a permission of its own."))
  private let context: SourceContext
  private let programs: any ProgramRunning
  private static let limit = 1 << 20

  package init(_ context: SourceContext) { self.init(context, ProgramRunner(context)) }

  init(_ context: SourceContext, _ programs: any ProgramRunning) {
    self.context = context
    self.programs = programs
  }

  package var backend: BackendDescription { Self.backend }

  /// Decrypts each entry once.
  package func read(_ references: [Reference]) async -> [SourceAnswer] {
    var answers = [SourceAnswer](repeating: .missing(), count: references.count)
    for (name, indices) in Dictionary(grouping: references.indices, by: { references[$0].location }) {
      let entry = await entry(name)
      for index in indices {
        answers[index] =
          switch entry {
          case .success(let entry): entry.answer(to: references[index].selector)
          case .failure(let failure): failure.answer
          }
      }
    }
    return answers
  }

  private enum Failure: Error {
    case missing
    case failed(AccessFailure)

    var answer: SourceAnswer {
      switch self {
      case .missing: .missing()
      case .failed(let failure): .failed(failure)
      }
    }
  }

  private func entry(_ name: String) async -> Result<PassEntry, Failure> {
    let file: SecretBox
    do throws(Failure) {
      file = try self.file(name)
    } catch {
      return .failure(error)
    }
    var call = ProgramCall([
      // The status lines decide, as messages are in the language of the user. With --quiet, gpg 2.2 leaves some of them out.
      "gpg", "--batch", "--no-tty", "--pinentry-mode", "error", "--status-fd", "2", "--decrypt",
    ])
    if let home = context.variables["GNUPGHOME"] { call.variables["GNUPGHOME"] = home }
    call.input = file
    switch await programs.run(call) {
    case .failed(let reason): return .failure(.failed(AccessFailure(.unreachable, reason)))
    case .ended(let code, let output, let status):
      let found = GPGStatus(status)
      guard code == 0, found.isDecrypted else { return .failure(.failed(found.failure)) }
      return .success(PassEntry(content: output))
    }
  }

  /// The file of an entry, which can be in the work tree; nil if the name is not one, or the store is unknown.
  static func path(of name: String, in context: SourceContext) -> String? {
    guard isName(name), let store = store(context) else { return nil }
    return "\(context.absolute(store))/\(name).gpg"
  }

  private static func isName(_ name: String) -> Bool {
    name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
      !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
    } && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
  }

  private static func store(_ context: SourceContext) -> String? {
    context.variables["PASSWORD_STORE_DIR"] ?? context.home.map { $0 + "/.password-store" }
  }

  /// The encrypted file of an entry.
  private func file(_ name: String) throws(Failure) -> SecretBox {
    guard Self.isName(name) else {
      throw .failed(AccessFailure(.unreadable, "An entry's name consists of names separated by /, without . and .."))
    }
    guard let store = Self.store(context).map(context.absolute) else {
      throw .failed(
        AccessFailure(.unreadable, "The password store is unknown: neither PASSWORD_STORE_DIR nor HOME is set."))
    }
    do throws(FileError) {
      return SecretBox(try SafeFile.read("\(store)/\(name).gpg", limit: Self.limit, within: store))
    } catch {
      guard error.code == .notFound else { throw .failed(AccessFailure(error)) }
      // If the store is missing, its entries are not known to be missing.
      guard access(store, F_OK) == 0 else {
        throw .failed(
          AccessFailure(
            .unreadable, "The password store \(store) does not exist.",
            hint: "Create it with `pass init`, or set PASSWORD_STORE_DIR."))
      }
      throw .missing
    }
  }
}
