internal import FoundationEssentials
package import KeyplanModel
package import KeyplanPlanning
package import KeyplanPorts

/// A plan as a file: a JSON document without a secret, signed under the store's plan key over its exact bytes.
package struct SavedPlan: Sendable {
  package let plan: Plan
  /// The diagnostics of the plan.
  package let diagnostics: [SavedDiagnostic]
  /// The store it was planned for, as it stood.
  package let store: StoreState
  /// The environment it was planned for.
  package let environment: String?
  /// The allowances with which it was planned.
  package let allowances: Allowances
  /// The SHA-256 of the manifest's files, in hex.
  package let manifest: String
  /// The plan's id.
  package let id: String
  /// After this it is refused.
  package let validUntil: Moment

  /// The plan must have been made for this store as it is, and the id be that of the plan.
  package init(
    plan: Plan, diagnostics: [SavedDiagnostic] = [], store: StoreState, environment: String?, allowances: Allowances,
    manifest: String, id: String, validUntil: Moment, signer: PlanSigner = .full
  ) {
    self.plan = plan
    self.diagnostics = diagnostics
    self.store = store
    self.environment = environment
    self.allowances = allowances
    self.manifest = manifest
    self.id = id
    self.validUntil = validUntil
    self.signer = signer
  }

  /// The file's bytes. The signature is on the last line and covers every byte before it.
  package func file(signing: some PlanSigning) -> [UInt8] {
    var bytes = Self.signed(
      Document(
        format: Self.format, environment: environment, store: store, manifest: manifest, id: id, validUntil: validUntil,
        allowances: allowances, steps: plan.steps.map(StepDocument.init), diagnostics: diagnostics))
    bytes.append(contentsOf: signing.signature(ofPlan: bytes).hexadecimal.utf8)
    bytes.append(contentsOf: Self.end.utf8)
    return bytes
  }

  /// The bytes that are signed.
  private static func signed(_ document: Document) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    // Nothing in it can fail to encode: no floating point, no foreign type.
    var bytes = [UInt8]((try? encoder.encode(document)) ?? Data())
    if bytes.last == UInt8(ascii: "}") { bytes.removeLast() }
    while bytes.last == UInt8(ascii: "\n") { bytes.removeLast() }
    return bytes + Array(signatureLine.utf8)
  }

  /// The signer of the file.
  package let signer: PlanSigner

  /// Reads a file and checks that a recipient of this store signed it and nobody changed it since.
  /// - Throws: `SavedPlanError`.
  package init(file bytes: [UInt8], store: StoreState, signing: some PlanSigning) throws(SavedPlanError) {
    let end = Array(Self.end.utf8)
    guard bytes.count > end.count, Array(bytes.suffix(end.count)) == end else { throw .notAPlan }
    let digits = bytes.dropLast(end.count).suffix(128)
    // 32 bytes of a code, or 64 of a signature.
    guard let signature = Self.bytes(digits.suffix(digits.allSatisfy(Self.isDigit) ? 128 : 64)) else { throw .notAPlan }
    let signed = bytes.dropLast(end.count + 2 * signature.count)
    guard Array(signed.suffix(Self.signatureLine.utf8.count)) == Array(Self.signatureLine.utf8) else { throw .notAPlan }
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(bytes)) else { throw .notAPlan }
    guard document.format == Self.format else { throw .newerFormat }
    guard document.store.id == store.id else { throw .anotherStore }
    guard document.store.epoch == store.epoch else { throw .rekeyed }
    guard document.store.serial >= store.movedAt ?? 0 else { throw .moved }
    guard let signer = signing.signer(ofPlan: Array(signed), signature) else { throw .touched }
    // Anything that this version would ignore was written by a later one, and could change what a step means.
    guard Self.signed(document) == Array(signed) else { throw .newerFormat }
    self.init(
      plan: Plan(steps: document.steps.map(\.step)), diagnostics: document.diagnostics, store: document.store,
      environment: document.environment, allowances: document.allowances, manifest: document.manifest, id: document.id,
      validUntil: document.validUntil, signer: signer)
  }

  /// Whether bytes are a plan, of whatever version and store.
  package static func isPlan(_ bytes: [UInt8]) -> Bool {
    struct Head: Decodable { let format: String }
    return (try? JSONDecoder().decode(Head.self, from: Data(bytes)))?.format.hasPrefix("keyplan-plan-") == true
  }

  private static let format = "keyplan-plan-1"
  private static let signatureLine = ",\n  \"signature\" : \""
  private static let end = "\"\n}\n"

  private struct Document: Codable {
    let format: String
    let environment: String?
    let store: StoreState
    let manifest: String
    let id: String
    let validUntil: Moment
    let allowances: Allowances
    let steps: [StepDocument]
    let diagnostics: [SavedDiagnostic]
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) }

  private static func bytes(_ digits: ArraySlice<UInt8>) -> [UInt8]? {
    guard digits.count % 2 == 0, digits.allSatisfy(isDigit) else { return nil }
    let values = digits.map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }
}

/// The reason that a plan file is refused as a whole.
package enum SavedPlanError: Error, Hashable, Sendable {
  /// It is not a plan file, or is truncated.
  case notAPlan
  /// A newer version of keyplan wrote it.
  case newerFormat
  /// Somebody changed it since it was written.
  case touched
  /// It was planned for another store.
  case anotherStore
  /// The store has a new root key since: stale, and not tampered with.
  case rekeyed
  /// The store was moved to another place since.
  case moved
}
