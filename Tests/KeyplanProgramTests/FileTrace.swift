import Foundation

/// What a traced run did with files and folders, in its order: the lines of `strace -f -y`.
struct FileTrace {
  enum Call: Equatable {
    case changed(String)
    case synchronized(String)
    case renamed(from: String, to: String)
    case removed(String)
    case madeFolder(String)
  }

  /// The system calls that it reads.
  static let names =
    changing + ["fsync", "fdatasync", "rename", "renameat", "renameat2", "unlink", "unlinkat", "mkdir", "mkdirat"]
  private static let changing = ["write", "pwrite64", "ftruncate", "fchmod", "fchown"]

  private(set) var calls: [Call] = []

  init(_ log: some Sequence<Substring>) {
    for call in Self.joined(log) { add(call.text) }
  }

  /// The calls in the order in which they ended, each in one piece: strace splits a call when one of another thread comes in between.
  /// Calls that did not end are last.
  static func joined(_ log: some Sequence<Substring>) -> [(process: String, text: String)] {
    var calls: [(String, String)] = []
    var begun: [Substring: Substring] = [:]
    for line in log {
      guard let space = line.firstIndex(of: " ") else { continue }
      let (process, text) = (line[..<space], line[space...].drop { $0 == " " })
      if let end = text.range(of: " <unfinished ...>") {
        begun[process] = text[..<end.lowerBound]
      } else if text.hasPrefix("<... "), let end = text.range(of: " resumed>") {
        calls.append((String(process), String(begun.removeValue(forKey: process) ?? "") + text[end.upperBound...]))
      } else {
        calls.append((String(process), String(text)))
      }
    }
    return calls + begun.map { (String($0.key), String($0.value)) }
  }

  private mutating func add(_ text: String) {
    guard let open = text.firstIndex(of: "("), let answer = text.range(of: " = ", options: .backwards),
      !text[answer.upperBound...].hasPrefix("-1")
    else { return }
    let (call, rest) = (text[..<open], text[text.index(after: open)..<answer.lowerBound])
    // Descriptors' paths, and quoted ones below them; of a write the first one alone, as its bytes are quoted, too.
    var paths: [String] = []
    for match in rest.matches(of: /(?:(?:\d+|AT_FDCWD)<(?<folder>[^>]*)>)?(?:, )?(?:"(?<name>[^"]*)")?/) {
      let (folder, name) = (match.output.folder.map(String.init), match.output.name.map(String.init))
      switch (folder, Self.changing.contains(String(call)) ? nil : name) {
      case (let folder?, let name?): paths.append(name.hasPrefix("/") ? name : folder + "/" + name)
      case (let path?, nil), (nil, let path?): paths.append(path)
      case (nil, nil): continue
      }
    }
    guard let path = paths.first else { return }
    switch call {
    case _ where Self.changing.contains(String(call)): calls.append(.changed(path))
    case "fsync", "fdatasync": calls.append(.synchronized(path))
    case "unlink", "unlinkat": calls.append(.removed(path))
    case "mkdir", "mkdirat": calls.append(.madeFolder(path))
    // A file that is removed is moved out of its place first.
    case _ where paths.count > 1 && Self.isTransient(paths[1]): calls.append(.removed(path))
    default: if paths.count > 1 { calls.append(.renamed(from: path, to: paths[1])) }
    }
  }

  /// What a power failure at its end could undo or leave without its content, of names below a folder.
  func unkept(below root: String) -> [String] {
    calls.enumerated().compactMap { index, call in
      switch call {
      case .renamed(let from, let to) where to.hasPrefix(root + "/"):
        if !isSynchronized(from, before: index) { return "\(to): renamed before its content was synchronized" }
        return isFolderSynchronized(of: to, after: index)
          ? nil : "\(to): the folder is not synchronized after the rename"
      case .removed(let path) where path.hasPrefix(root + "/") && !Self.isTransient(path):
        return isFolderSynchronized(of: path, after: index) ? nil : "\(path): removed, and the folder not synchronized"
      case .madeFolder(let path) where path.hasPrefix(root + "/"):
        return isFolderSynchronized(of: path, after: index)
          ? nil : "\(path): made, and the folder above not synchronized"
      default: return nil
      }
    }
  }

  /// The names that it has given to complete files.
  var renamed: [String] { calls.compactMap { if case .renamed(_, let to) = $0 { to } else { nil } } }
  var removed: [String] {
    calls.compactMap { if case .removed(let path) = $0, !Self.isTransient(path) { path } else { nil } }
  }

  /// If these are there after a power failure, they are recognized: a draft by its lock, a journal by SQLite.
  private static func isTransient(_ path: String) -> Bool {
    path.hasSuffix(".keyplan-new") || path.hasSuffix(".keyplan-was") || path.hasSuffix("-journal")
  }

  private func isSynchronized(_ path: String, before index: Int) -> Bool {
    let last = calls[..<index].lastIndex { $0 == .synchronized(path) || $0 == .changed(path) }
    return last.map { calls[$0] == .synchronized(path) } ?? false
  }

  private func isFolderSynchronized(of path: String, after index: Int) -> Bool {
    let folder = path[..<(path.lastIndex(of: "/") ?? path.startIndex)]
    return calls[(index + 1)...].contains(.synchronized(String(folder)))
  }
}
