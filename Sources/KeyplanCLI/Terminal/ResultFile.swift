internal import KeyplanFiles
internal import KeyplanOperations
internal import KeyplanPorts
internal import KeyplanReporting

/// A file to which a command writes its result, at a name that the user chooses. It is checked before the work and written after it; a
/// change in between is not overwritten.
struct ResultFile {
  typealias Kind = ResultKind

  private enum FileKind {
    /// A terminal, a pipe, another device, or a descriptor that the shell opened.
    case stream
    /// A file with its content; nil for one that does not exist yet.
    case file([UInt8]?)
  }

  /// As it was typed.
  let shown: String
  /// Absolute.
  let path: String
  private let kind: Kind
  private let place: FileKind

  /// Whether it is standard output, so that nothing else may be written there.
  var isStandardOutput: Bool { LineSink.descriptor(at: path) == 1 }

  /// Whether it is a device, a pipe or a descriptor.
  var isStream: Bool { if case .stream = place { true } else { false } }

  private static let limit = 256 << 20

  /// - Throws: `Failure` for a file that is not to be replaced, or cannot be.
  init(_ typed: String, _ kind: Kind, sparing taken: TakenFiles, in world: World) throws(Failure) {
    (shown, self.kind) = (typed, kind)
    path = typed == "-" ? "/dev/stdout" : world.absolute(typed)
    guard LineSink.descriptor(at: path) == nil else {
      place = .stream
      return
    }
    if let role = taken.role(of: path) { throw .taken(typed, role, by: kind.words.option, "Output") }
    try Self.requireNoWayOut(path, typed, kind, in: world)
    switch FileIdentity(path)?.kind {
    case .regular?, .directory?, .symlink?, nil: place = .file(try Self.content(of: path, typed, kind))
    case .fifo?, .device?, .socket?: place = .stream
    }
  }

  /// The author of a branch decides what the folders of its checkout are. A link there must not decide where a job writes its results.
  private static func requireNoWayOut(
    _ path: String, _ typed: String, _ kind: Kind, in world: World
  ) throws(Failure) {
    guard try world.checkout() == .untrusted, let resolved = try? ResolvedPath(path) else { return }
    let tree = Project.workTree(of: world.directory)
    guard !ResolvedPath.isWithin(resolved.path, tree),
      let link = resolved.links.first(where: { ResolvedPath.isWithin($0, tree) })
    else { return }
    throw Failure(
      .failed, kind.words.unwritten,
      "\(typed) leads to \(resolved.path) by the link \(link), which belongs to an untrusted checkout.",
      hint: "Name a file outside of the checkout, such as one in the job's temporary directory.")
  }

  private static func content(of path: String, _ typed: String, _ kind: Kind) throws(Failure) -> [UInt8]? {
    // Events are appended as they happen; the file's content is checked when it is opened.
    guard kind != .events else { return nil }
    let bytes: [UInt8]?
    do throws(FileError) {
      try AtomicFile.requireReplaceable(path)
      bytes = FileIdentity(path) == nil ? nil : try SafeFile.read(path, limit: limit)
    } catch {
      guard case .tooLarge = error.code else { throw Failure(error, kind.words.unwritten) }
      throw .foreign(typed, kind)
    }
    guard let bytes else { return nil }
    guard kind.isHeld(by: bytes) else { throw .foreign(typed, kind) }
    return bytes
  }

  /// Whether the file does not exist.
  var isNew: Bool { if case .file(nil) = place { true } else { false } }

  /// Whether the file contains exactly these bytes already.
  func holds(_ bytes: [UInt8]) -> Bool { if case .file(bytes) = place { true } else { false } }

  /// The output of the report for people: standard error if the result is standard output.
  /// - Throws: `Failure` for a report that needs standard output.
  func output(beside format: ReportFormat, on terminal: Terminal) throws(Failure) -> Output {
    guard isStandardOutput else { return terminal.out }
    guard format == .text || format == .markdown else {
      throw Failure(
        .usage, "Standard output used twice",
        "\(kind.words.option) - and the \(format.rawValue) report would both be written to standard output.",
        hint: "Name a file for one of them.")
    }
    return terminal.err
  }

  /// Writes the result completely or not at all.
  func write(_ bytes: [UInt8], on terminal: Terminal) throws(Failure) {
    switch place {
    case .stream where isStandardOutput: bytes.withUnsafeBytes { terminal.out.writeWhole($0) }
    case .stream: try stream(bytes)
    case .file(let old):
      do throws(FileError) {
        try AtomicFile.replace(path, with: bytes, expecting: old)
      } catch {
        throw Failure(error, kind.words.unwritten)
      }
    }
  }

  private func stream(_ bytes: [UInt8]) throws(Failure) {
    let sink: LineSink
    do throws(LineSink.Refusal) {
      sink = try LineSink(path)
    } catch {
      throw Failure(.failed, kind.words.unwritten, "\(shown): \(error).")
    }
    guard sink.write(String(decoding: bytes, as: UTF8.self)) else {
      throw Failure(.failed, kind.words.unwritten, "It could not be written completely to \(shown).")
    }
  }
}

extension Failure {
  /// A file that is not an earlier result.
  static func foreign(_ typed: String, _ kind: ResultFile.Kind) -> Failure {
    Failure(
      .usage, "Output would replace another file",
      "\(typed) exists and is not \(kind.words.thing), so \(kind.words.option) does not overwrite it.",
      hint: "Choose another name, or remove the file first.")
  }
}
