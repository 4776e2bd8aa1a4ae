internal import KeyplanDocuments
internal import KeyplanFiles
internal import KeyplanJSON
internal import KeyplanKnownValues
package import KeyplanReporting
package import KeyplanSecrets

/// The output formats of variables.
package enum EnvFormat: String, CaseIterable, Sendable {
  case shell, fish, powershell, dotenv
  /// `NAME=value` without quotes and escapes, as `docker run --env-file` reads it.
  case dotenvPlain = "dotenv-plain"
  case json, github
}

/// Writes variables in one of the formats that tools read.
package struct EnvText {
  private let format: EnvFormat
  private let world: World

  package init(_ format: EnvFormat, in world: World) {
    self.format = format
    self.world = world
  }

  /// The bytes for standard output.
  /// - Throws: `Failure` if a name or value does not fit the format, or the file of `GITHUB_ENV` cannot be written.
  package func bytes(of exports: [Export]) throws(Failure) -> SecretBox {
    switch format {
    case .shell: return SecretBox(shell(exports))
    case .fish: return SecretBox(fish(exports))
    case .powershell: return SecretBox(try powershell(exports))
    case .dotenv:
      warn(ofReadersMisreading: exports)
      return SecretBox(try document(DotenvDocument.self, exports))
    case .dotenvPlain: return SecretBox(try dotenvPlain(exports))
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

  /// `set -gx NAME 'value'`: inside single quotes fish interprets only `\\'` and `\\\\`.
  private func fish(_ exports: [Export]) -> [UInt8] {
    var text: [UInt8] = []
    for export in exports {
      text += Array("set -gx \(export.name) '".utf8)
      export.value.withBytes { bytes in
        for byte in bytes {
          if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") { text.append(UInt8(ascii: "\\")) }
          text.append(byte)
        }
      }
      text += Array("'\n".utf8)
    }
    return text
  }

  /// `$env:NAME = 'value'`, one line for each variable, because PowerShell reads a program's output as lines. Inside single quotes it
  /// interprets only quotes, including typographic ones; they are escaped by doubling. A control character is added to the text by its
  /// number.
  private func powershell(_ exports: [Export]) throws(Failure) -> [UInt8] {
    var text: [UInt8] = []
    for export in exports {
      guard export.value.withBytes({ invalidUTF8(in: $0) }) == nil else {
        throw misfit(export.name, "is not UTF-8, which PowerShell requires")
      }
      text += Array("$env:\(export.name) = '".utf8)
      export.value.withBytes { bytes in
        var rest = bytes[...]
        while let byte = rest.popFirst() {
          switch byte {
          case UInt8(ascii: "'"): text += Array("''".utf8)
          case 0..<0x20, 0x7F: text += Array("' + [char]\(byte) + '".utf8)
          // U+2018 to U+201B are quotes.
          case 0xE2
          where rest.count > 1 && rest[rest.startIndex] == 0x80 && (0x98...0x9B).contains(rest[rest.startIndex + 1]):
            let quote = [byte, rest[rest.startIndex], rest[rest.startIndex + 1]]
            text += quote + quote
            rest = rest.dropFirst(2)
          default: text.append(byte)
          }
        }
      }
      text += Array("'\n".utf8)
    }
    return text
  }

  private func dotenvPlain(_ exports: [Export]) throws(Failure) -> [UInt8] {
    var text: [UInt8] = []
    for export in exports {
      let isWritable = export.value.withBytes { bytes in
        invalidUTF8(in: bytes) == nil && !bytes.contains { $0 == 0x0a || $0 == 0x0d }
      }
      guard isWritable else {
        throw misfit(export.name, "contains a line break or is not UTF-8, which a file without quotes cannot contain")
      }
      text += Array("\(export.name)=".utf8)
      export.value.withBytes { text += $0 }
      text.append(0x0a)
    }
    return text
  }

  private func misfit(_ name: String, _ reason: String) -> Failure {
    Failure(
      .failed, "Value does not fit the format", "The value of \(name) \(reason).",
      hint: "Choose another --format, leave \(name) out with --only, or use keyplan run.")
  }

  private func warn(ofReadersMisreading exports: [Export]) {
    let misread = MisreadValues(exports.lazy.map { ($0.name, $0.value) })
    for warning in misread.warnings(in: "The output") { world.console.warn(warning) }
  }

  private func document<Format: EditableDocument>(_: Format.Type, _ exports: [Export]) throws(Failure) -> [UInt8] {
    var name = ""
    do throws(DocumentError) {
      var document = try Format([])
      for export in exports {
        name = export.name
        try document.set(name, to: export.value.withBytes { Array($0) })
      }
      return document.bytes
    } catch {
      throw Failure(
        .failed, "Value does not fit the format", "\(name): \(error.detail)",
        hint: "Choose another --format, leave \(name) out with --only, or use keyplan run.")
    }
  }

  /// Masks to standard output, so that the runner hides the values in its log; the values to the file that it names.
  private func github(_ exports: [Export]) throws(Failure) -> [UInt8] {
    guard let path = world.variable("GITHUB_ENV") else {
      throw Failure(
        .failed, "GITHUB_ENV not set",
        "With --format github, the values are written to the file that GITHUB_ENV names.",
        hint: "GitHub sets it for the steps of a workflow. Elsewhere, choose another --format.")
    }
    let masks = masks(of: exports)
    var values: [UInt8] = []
    var random = SystemRandomNumberGenerator()
    for export in exports {
      export.value.withBytes { bytes in
        let mark = Array("keyplan-\(String(random.next(), radix: 36))\(String(random.next(), radix: 36))".utf8)
        values += Array("\(export.name)<<".utf8) + mark + [0x0a] + Array(bytes) + [0x0a] + mark + [0x0a]
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

  /// The masks of all values and of what composed ones are made of: first those of texts, since a runner may have limits of its own.
  private func masks(of exports: [Export]) -> [UInt8] {
    // GitHub itself does not mask very short values well: it would mask every brace in a log.
    let limits = KnownValueLimits(shortest: 4)
    var masked = Set(exports.map(\.version))
    var (texts, encodings): ([UInt8], [UInt8]) = ([], [])
    func add(_ value: SecretBox, _ name: String) {
      let spellings = Spellings(of: value, within: limits)
      if spellings.all.isEmpty {
        world.console.warn(
          Warning(
            "Value not masked",
            "\(name) has fewer than \(limits.shortest) bytes. GitHub does not hide it in the log.",
            hint: "Use a longer value, or do not print it."))
      }
      if spellings.omitted > 0 {
        world.console.warn(
          Warning(
            "Not all spellings are masked",
            "\(Spans.count(spellings.omitted, "spelling")) of \(name) \(spellings.omitted == 1 ? "is" : "are") not masked, because "
              + "keyplan masks at most \(limits.spellings) of each value. The value itself and the texts in it come first, then "
              + "their encodings.",
            hint: "Do not print the value or encodings of its parts, or split it into several keys."))
      }
      for spelling in spellings.all {
        if spelling.form.isEncoding { encodings += Self.mask(spelling) } else { texts += Self.mask(spelling) }
      }
    }
    for export in exports { add(export.value, export.name) }
    for export in exports {
      for content in export.contents where masked.insert(content.version).inserted {
        add(content.value, "\"\(content.key)\", a part of \(export.name),")
      }
    }
    return texts + encodings
  }

  /// The runner compares line by line, so a text of several lines is masked by its lines.
  private static func mask(_ spelling: Spelling) -> [UInt8] {
    spelling.text.withBytes { bytes in
      bytes.contains(0x0a) ? [] : Array("::add-mask::".utf8) + bytes.flatMap(escaped) + [0x0a]
    }
  }

  /// The runner reads %25 as % and %0D as a carriage return; unescaped, the mask of a value with `%25` would miss it.
  private static func escaped(_ byte: UInt8) -> [UInt8] {
    byte == UInt8(ascii: "%") ? Array("%25".utf8) : byte == 0x0d ? Array("%0D".utf8) : [byte]
  }
}
