internal import KeyplanDocuments
internal import KeyplanFiles
package import KeyplanModel
internal import KeyplanProviders
package import KeyplanReporting

/// The names and references, never values, that a manifest can import from an existing file.
package struct Import {
  /// The file's path for messages.
  package let shown: String
  /// In the order of the file.
  private(set) var keys: [Key] = []
  /// Skipped names with reasons, in the order of the file. Nil for a name that may be part of a value.
  private(set) var left: [(name: String?, reason: String)] = []
  private var names = UniqueNames(separator: "-")
  private var variables = UniqueNames(separator: "_")

  /// A key to be declared.
  package struct Key {
    package let name: String
    package let provider: String
    package let variable: String
    /// The slot that exports the key under its provider's own variable. Nil if the key has a variable of its own, or if there is a slot
    /// of this name.
    package let slot: String?
    package let source: String
    /// The name in the file.
    package let origin: String
    /// Other providers whose key format the value has.
    package let formats: [String]
  }

  /// The keys that are already declared, by reference.
  private let declared: [String: String]
  private let slots: Set<String>

  /// Reads a dotenv file, a JSON file or an XML property list.
  /// - Parameters:
  ///   - folder: the manifest's folder, for references relative to it.
  ///   - manifest: the existing declarations, if there are any.
  /// - Throws: `Failure` if the file is none of them.
  package init(_ path: String, for folder: String, beside manifest: Manifest?, in world: World) throws(Failure) {
    declared = manifest.map(Self.declared) ?? [:]
    slots = Set(manifest?.slots.keys.map(\.name) ?? [])
    if let manifest {
      names.reserve(manifest.keys.keys.map(\.name))
      variables.reserve(manifest.keys.values.compactMap(\.facts.variable))
    }
    let place = Project.normalised(world.absolute(path))
    shown = Project.relative(place, to: world.directory)
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try SafeFile.read(place, limit: DocumentLimit.bytes)
    } catch {
      throw Failure(error, "Nothing imported")
    }
    let beginnings = ["bplist", "<?xml", "<!DOCTYPE plist", "<plist"]
    let isPlist = path.hasSuffix(".plist") || beginnings.contains { bytes.starts(with: $0.utf8) }
    let isJSON = path.hasSuffix(".json") || bytes.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    let location = Reference.written(location: Project.relative(place, to: folder))
    do throws(DocumentError) {
      let index = VariableIndex(.builtIn)
      if isPlist {
        let document = try PlistDocument(bytes)
        try takeNested(PlistNames.texts(in: bytes), "plist://\(location)#", index) { name throws(DocumentError) in
          try document.value(at: name)
        }
      } else if isJSON {
        let document = try JSONDocument(bytes)
        try takeNested(document.texts(), "json://\(location)#", index) { name throws(DocumentError) in
          try document.value(at: name)
        }
      } else {
        let document = try DotenvDocument(bytes)
        let all = Set(document.names)
        for name in document.names {
          let doubt = document.doubt(about: name)
          guard case .text(let value)? = document.value(at: name) else {
            if let doubt { left.append((name, "its value \(doubt.reason)")) }
            continue
          }
          take(FoundName(name, value, isVariable: true, index), doubt, "dotenv://\(location)#", index, among: all)
        }
      }
    } catch {
      let mark = error.place.map { ":\($0.line):\($0.column)" } ?? ""
      throw Failure(
        .failed, "Nothing imported", "\(shown)\(mark): \(error.detail)",
        hint: "The file must be a dotenv file, a JSON file or an XML property list. Put multi-line values in quotes.")
    }
  }

  private mutating func takeNested(
    _ names: [String], _ scheme: String, _ index: VariableIndex,
    _ value: (String) throws(DocumentError) -> DocumentValue?
  ) throws(DocumentError) {
    var found: [FoundName] = []
    for name in names {
      guard case .text(let value)? = try value(name) else { continue }
      found.append(FoundName(name, value, isVariable: false, index))
    }
    let all = Set(found.map(\.variable))
    for name in found { take(name, nil, scheme, index, among: all) }
  }

  private mutating func take(
    _ found: FoundName, _ doubt: DotenvDoubt?, _ scheme: String, _ index: VariableIndex, among all: Set<String>
  ) {
    if let reason = SecretName.reasonToLeave(found, index, among: all) {
      let isShown = if case .torn = found.look { false } else { true }
      return left.append((isShown ? found.name : nil, reason))
    }
    if let doubt { return left.append((found.name, "its value \(doubt.reason)")) }
    let source = scheme + Reference.written(selector: found.name)
    if let key = declared[source] { return left.append((found.name, "already declared: key.\(key)")) }
    let secret = SecretName(found, index)
    let variable = variables.unique(found.isVariable ? found.variable : secret.conventional ?? found.variable)
    keys.append(
      Key(
        name: names.unique(secret.key), provider: secret.provider, variable: variable,
        slot: variable == secret.conventional && !slots.contains(secret.provider) ? secret.provider : nil,
        source: source,
        origin: found.name, formats: found.formats.contains(secret.provider) ? [] : found.formats))
  }

  private static func declared(by manifest: Manifest) -> [String: String] {
    var declared: [String: String] = [:]
    func add(_ reference: Reference, _ name: String) {
      declared[reference.description] = name
      guard let selector = reference.selector else { return }
      guard let nested = try? NestedName(selector) else { return }
      declared["\(reference.container)#\(Reference.written(selector: nested.text))"] = name
    }
    for (id, key) in manifest.keys { for source in key.sources { add(source, id.name) } }
    for migration in manifest.migrations {
      if let original = migration.original, let key = migration.key { add(original, key.name) }
    }
    return declared
  }
}

/// Makes names unique by appending numbers, beginning with 2.
package struct UniqueNames {
  package let separator: String
  private var taken: Set<String> = []
  private var last: [String: Int] = [:]

  package init(separator: String) { self.separator = separator }

  /// The names in use.
  package mutating func reserve(_ names: some Sequence<String>) { taken.formUnion(names) }

  /// The name, or the name with the next free number.
  package mutating func unique(_ name: String) -> String {
    var candidate = name
    while !taken.insert(candidate).inserted {
      let number = (last[name] ?? 1) + 1
      last[name] = number
      candidate = name + separator + String(number)
    }
    return candidate
  }
}
