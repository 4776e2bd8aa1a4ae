package import KeyplanCore
internal import KeyplanDocuments
internal import KeyplanFiles
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
    package let source: String
    /// The name in the file.
    package let origin: String
    /// Other providers whose key format the value has.
    package let formats: [String]
  }

  /// The keys that are already declared, by reference.
  private let declared: [String: String]

  /// Reads a dotenv file or an XML property list, whichever it is.
  /// - Parameters:
  ///   - folder: the manifest's, for references relative to it.
  ///   - manifest: what is declared already, where there is something.
  /// - Throws: `Failure` where the file is neither.
  package init(_ path: String, for folder: String, beside manifest: Manifest?, in world: World) throws(Failure) {
    declared = manifest.map(Self.declared) ?? [:]
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
    let location = Self.location(Project.relative(place, to: folder))
    do throws(DocumentError) {
      let index = VariableIndex(.builtIn)
      if isPlist {
        let document = try PlistDocument(bytes)
        for name in try PlistNames.texts(in: bytes) {
          guard case .text(let value)? = try document.value(at: name) else { continue }
          take(name, value, isVariable: false, "plist://\(location)#", index)
        }
      } else {
        let document = try DotenvDocument(bytes)
        for name in document.names {
          guard case .text(let value)? = document.value(at: name) else { continue }
          take(name, value, isVariable: true, "dotenv://\(location)#", index)
        }
      }
    } catch {
      let mark = error.place.map { ":\($0.line):\($0.column)" } ?? ""
      throw Failure(
        .failed, "Nothing imported", "\(shown)\(mark): \(error.detail)",
        hint: "The file must be a dotenv file or an XML property list. Put multi-line values in quotes.")
    }
  }

  private mutating func take(
    _ name: String, _ value: [UInt8], isVariable: Bool, _ scheme: String, _ index: VariableIndex
  ) {
    let found = FoundName(name, value, isVariable: isVariable, index)
    if let reason = SecretName.reasonToLeave(found, index) {
      let isShown = if case .torn = found.look { false } else { true }
      return left.append((isShown ? found.name : nil, reason))
    }
    let source = scheme + Self.escaped(found.name)
    if let key = declared[source] { return left.append((found.name, "already declared: key.\(key)")) }
    let secret = SecretName(found.variable, index)
    keys.append(
      Key(
        name: names.unique(secret.key), provider: secret.provider,
        variable: variables.unique(isVariable ? found.variable : secret.conventional ?? found.variable),
        source: source,
        origin: found.name, formats: found.formats.contains(secret.provider) ? [] : found.formats))
  }

  private static func declared(by manifest: Manifest) -> [String: String] {
    var declared: [String: String] = [:]
    func add(_ reference: Reference, _ name: String) {
      declared[reference.description] = name
      guard let selector = reference.selector else { return }
      guard let nested = try? NestedName(selector) else { return }
      declared["\(reference.container)#\(nested.text)"] = name
    }
    for (id, key) in manifest.keys { for source in key.sources { add(source, id.name) } }
    for migration in manifest.migrations {
      if let original = migration.original, let key = migration.key { add(original, key.name) }
    }
    return declared
  }

  private static func location(_ path: String) -> String { escaped(path).replacing("#", with: "%23") }

  private static func escaped(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte == UInt8(ascii: "%") || byte < 0x20 || byte == 0x7f {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
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
