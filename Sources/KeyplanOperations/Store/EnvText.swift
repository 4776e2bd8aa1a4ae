internal import FoundationEssentials
internal import KeyplanDocuments
internal import KeyplanFiles
package import KeyplanReporting
package import KeyplanSecrets

/// How variables are written.
package enum EnvFormat: String, CaseIterable, Sendable {
  case shell, dotenv, json, github
}

/// Writes variables in one of the formats that tools read.
package struct EnvText {
  private let format: EnvFormat
  private let world: World

  package init(_ format: EnvFormat, in world: World) {
    self.format = format
    self.world = world
  }

  /// What goes to standard output.
  /// - Throws: `Failure` where a name or value does not fit the format, or the file of `GITHUB_ENV` cannot be written.
  package func bytes(of exports: [Export]) throws(Failure) -> SecretBox {
    switch format {
    case .shell: return SecretBox(shell(exports))
    case .dotenv: return SecretBox(try document(DotenvDocument.self, exports))
    case .json: return SecretBox(try document(JSONDocument.self, exports))
    case .github: return SecretBox(try github(exports))
    }
  }

  /// `export NAME='value'`: inside single quotes a POSIX shell changes nothing.
  private func shell(_ exports: [Export]) -> [UInt8] {
    var text: [UInt8] = []
    for export in exports {
      text += Array("export \(export.name)='".utf8)
      export.value.withBytes { bytes in
        for byte in bytes {
          if byte == UInt8(ascii: "'") { text += Array("'\\''".utf8) } else { text.append(byte) }
        }
      }
      text += Array("'\n".utf8)
    }
    return text
  }

  private func document<Format: EditableDocument>(_: Format.Type, _ exports: [Export]) throws(Failure) -> [UInt8] {
    do throws(DocumentError) {
      var document = try Format([])
      for export in exports { try document.set(export.name, to: export.value.withBytes { Array($0) }) }
      return document.bytes
    } catch {
      throw Failure(.failed, "Value does not fit the format", "\(error)")
    }
  }

  /// Masks to standard output, so that the runner hides the values in its log; the values to the file that it names.
  private func github(_ exports: [Export]) throws(Failure) -> [UInt8] {
    guard let path = world.variable("GITHUB_ENV") else {
      throw Failure(.failed, "GITHUB_ENV not set", "There is no file to write the values to.")
    }
    var masks: [UInt8] = []
    var values: [UInt8] = []
    var random = SystemRandomNumberGenerator()
    for export in exports {
      export.value.withBytes { bytes in
        let mark = Array("keyplan-\(String(random.next(), radix: 36))\(String(random.next(), radix: 36))".utf8)
        values += Array("\(export.name)<<".utf8) + mark + [0x0a] + Array(bytes) + [0x0a] + mark + [0x0a]
        let lines = bytes.split(separator: 0x0a).map(Array.init).filter { !$0.isEmpty }
        var told: Set<[UInt8]> = [[]]
        for mask in lines + [Array(Data(bytes).base64EncodedString().utf8)] where told.insert(mask).inserted {
          masks += Array("::add-mask::".utf8) + mask.flatMap(Self.escaped) + [0x0a]
        }
      }
    }
    do throws(FileError) {
      let before = try SafeFile.read(world.absolute(path), limit: 64 << 20)
      try AtomicFile.replace(world.absolute(path), with: before + values)
    } catch {
      throw Failure(error, "Cannot write GITHUB_ENV")
    }
    return masks
  }

  /// The runner reads %25 as % and %0D as a carriage return; unescaped, the mask of a value with `%25` would miss it.
  private static func escaped(_ byte: UInt8) -> [UInt8] {
    byte == UInt8(ascii: "%") ? Array("%25".utf8) : byte == 0x0d ? Array("%0D".utf8) : [byte]
  }
}
