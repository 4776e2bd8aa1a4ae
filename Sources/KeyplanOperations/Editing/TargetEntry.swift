internal import KeyplanDocuments
internal import KeyplanManifest
internal import KeyplanModel
internal import KeyplanPlanning
package import KeyplanReporting

/// A name at a target that a key is to be written under.
package struct TargetEntry: Sendable {
  package let target: String
  /// Nil for the key's variable.
  package let name: String?

  /// `app`, or `app:NAME`; nil for any other text.
  package init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    (target, name) = (parts[0], parts.count == 2 ? parts[1] : nil)
  }

  /// Adds the entry to the target in the edited file, which declares the key already.
  /// - Returns: the address of the new entry.
  package func make(_ key: String, in files: inout ManifestFiles) throws(Failure) -> String {
    let file = files.edited
    let targets = file.text.form(of: ["targets"])?.names ?? []
    guard targets.contains(target) else {
      let near = Suggestion.nearest(to: target, among: targets).map { "Did you mean \($0)?" }
      let known = targets.isEmpty ? "Add it under `targets` first." : "There are: \(targets.joined(separator: ", "))."
      throw Failure(
        .failed, "Target not found", "\(file.shown) has no target \"\(target)\".", hint: near ?? known)
    }
    guard let name = name ?? Self.variable(of: key, in: files) else {
      throw Failure(
        .usage, "Name not specified", "\"\(key)\" has no variable, after which its name at \(target) could be called.",
        hint: "Add the name: --target \(target):NAME")
    }
    guard !(file.text.form(of: ["targets", target, "keys"])?.names ?? []).contains(name) else {
      let place = file.shown(file.text.place(of: ["targets", target, "keys", name]))
      throw Failure(
        .failed, "Name already used", "\(place): \(target) has something else under \(name).",
        hint: "Choose another name: --target \(target):NAME")
    }
    let entry = "\(YAMLText.quoted(name)): \(YAMLText.quoted(key))"
    try files.edit(\.edited) { text throws(DocumentError) in try text.insert(entry, into: ["targets", target, "keys"]) }
    return "target.\(target).\(name)"
  }

  /// The variable that the key has in all environments that declare it.
  private static func variable(of key: String, in files: ManifestFiles) -> String? {
    guard let id = Identifier<Key>(key) else { return nil }
    let variables = Set(files.environments().compactMap { $0.after.manifest?.keys[id]?.facts.variable })
    return variables.count == 1 ? variables.first : nil
  }
}
