internal import KeyplanModel
package import KeyplanPorts

/// An error that ends a command early: an exit code for programs, and text for people.
package struct Failure: Error {
  package let status: ExitStatus
  package let summary: String
  package let detail: String
  package let hint: String?
  /// The store's own word for it, for programs.
  package let storeCode: StoreError.Code?

  package init(
    _ status: ExitStatus, _ summary: String, _ detail: String, hint: String? = nil, storeCode: StoreError.Code? = nil
  ) {
    self.storeCode = storeCode
    self.status = status
    self.summary = summary
    self.detail = detail
    self.hint = hint
  }

  /// The same with another sentence.
  package func adding(_ sentence: String) -> Failure {
    Failure(status, summary, "\(detail) \(sentence)", hint: hint, storeCode: storeCode)
  }

  /// The rule for names, in the words of the manifest's reader.
  package static func nameRule(_ what: String) -> String {
    "\(what)'s name consists of a-z, 0-9, - and _, begins with a letter or digit, and has at most 63 characters."
  }

  /// A name that was typed, in quotes; other words for what cannot be a name, such as `db=…` with a value.
  package static func typed(_ name: String) -> String {
    let id = ["active.", "key."].first(where: name.hasPrefix).map { name.dropFirst($0.count) } ?? name[...]
    return Identifier<Key>(id) != nil ? "\"\(name)\"" : "with the given name"
  }

  /// The hint about a typed name that may contain a value; nil for any other.
  package static func hint(ofTyped name: String) -> String? {
    guard name.contains("=") else { return nil }
    return "An argument is in the process list and in the shell's history. If it has a value, replace that at its "
      + "provider, and give the new one through standard input: keyplan keys set NAME"
  }

  /// Runs work on a store, and converts its errors into failures.
  package static func from<Value>(_ work: () throws(StoreError) -> Value) throws(Failure) -> Value {
    do throws(StoreError) {
      return try work()
    } catch {
      throw Failure(error)
    }
  }

  /// The same for work that waits.
  package static func awaiting<Value>(_ work: () async throws(StoreError) -> Value) async throws(Failure) -> Value {
    do throws(StoreError) {
      return try await work()
    } catch {
      throw Failure(error)
    }
  }

  package init(_ error: StoreError) {
    let (status, summary): (ExitStatus, String) =
      switch error.code {
      case .interrupted: (.interrupted, "Interrupted")
      case .noStore: (.storeRefused, "Store not found")
      case .exists: (.failed, "Store already exists")
      case .wrongIdentity: (.storeRefused, "Wrong identity")
      case .planOnly: (.storeRefused, "Identity can only plan")
      case .otherRecipients: (.storeRefused, "Value is for other recipients")
      case .tampered: (.storeRefused, "Store integrity check failed")
      case .damaged: (.storeRefused, "Store is damaged")
      case .anotherStore: (.storeRefused, "Unexpected store")
      case .newerVersion: (.storeRefused, "Store is from a newer version")
      case .tooOpen: (.storeRefused, "Store permissions too open")
      case .locked: (.locked, "Store is locked")
      case .stale: (.stale, "Store has changed")
      case .notRecorded: (.failed, "Not recorded")
      case .io: (.failed, "Store cannot be used")
      case .unreachable: (.unreachable, "Store unreachable")
      case .refused: (.storeRefused, "Store rejected")
      case .plugin: (.storeRefused, "Plugin failed")
      case .lost: (.locked, "Lock lost")
      case .moved: (.storeRefused, "Store was moved")
      }
    self.init(status, summary, error.detail, hint: error.hint, storeCode: error.code)
  }
}
