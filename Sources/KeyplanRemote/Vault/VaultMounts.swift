import KeyplanJSON
import KeyplanModel
import KeyplanServices
import Synchronization

/// The mount of a secrets engine.
struct VaultMount: Hashable, Sendable {
  let path: [String]
  /// Of the key-value engine: 1 or 2.
  let version: Int
  /// The permanent id of the mount; nil if it was not looked up.
  let id: String?
}

/// The mounts that are known in this run.
final class VaultMounts: Sendable {
  private let known = Mutex<[VaultMount]>([])
  /// The folders whose mount may not be looked up.
  private let denied = Mutex<Set<[String]>>([])

  subscript(path: VaultPath) -> VaultMount? {
    // No mount lies below another one.
    known.withLock { $0.first { path.segments.starts(with: $0.path) } }
  }

  func isDenied(_ path: VaultPath) -> Bool { denied.withLock { $0.contains(path.segments.dropLast()) } }
  func addDenied(_ path: VaultPath) { _ = denied.withLock { $0.insert(path.segments.dropLast()) } }

  func add(_ mount: VaultMount) { known.withLock { if !$0.contains(mount) { $0.append(mount) } } }
}

extension VaultClient {
  /// The mount of a path: as the connection states it, otherwise as the server says.
  func mount(of path: VaultPath) async throws(RemoteFailure) -> VaultMount {
    if let version = statedVersion {
      if version == 1 { try await refuseOtherEngine(at: path) }
      return VaultMount(path: Array(path.segments.prefix(1)), version: version, id: nil)
    }
    if let mount = mounts[path] { return mount }
    let mount = try await foundMount(of: path)
    mounts.add(mount)
    return mount
  }

  /// Reading from an engine of another kind can make a credential: version 1 has no part of the path that only a key-value engine has.
  /// Without permission to look the mount up, the path is accepted.
  private func refuseOtherEngine(at path: VaultPath) async throws(RemoteFailure) {
    guard mounts[path] == nil, !mounts.isDenied(path) else { return }
    do throws(RemoteFailure) {
      mounts.add(try await foundMount(of: path))
    } catch {
      guard error.answer == .denied else { throw error }
      mounts.addDenied(path)
    }
  }

  var statedVersion: Int? { context.text("kv").flatMap { Int($0) } }

  /// Finds the mounts of many paths with few requests.
  /// - Returns: by the first part of a path, the reason that nothing can be read there; none if that differs from path to path.
  func findMounts(of paths: some Sequence<VaultPath>) async -> [String: RemoteFailure] {
    guard statedVersion == nil else { return [:] }
    let leaders = Dictionary(paths.map { ($0.segments[0], $0) }) { first, _ in first }
    return await withTaskGroup(of: (String, RemoteFailure)?.self) { group in
      for (start, path) in leaders {
        group.addTask {
          do throws(RemoteFailure) {
            _ = try await self.mount(of: path)
            return nil
          } catch {
            return error.answer == .denied || error.answer == .unreadable ? nil : (start, error)
          }
        }
      }
      var failures: [String: RemoteFailure] = [:]
      for await failure in group { if let (start, failure) = failure { failures[start] = failure } }
      return failures
    }
  }

  /// The mount as the server says.
  func foundMount(of path: VaultPath) async throws(RemoteFailure) -> VaultMount {
    let host = try await server().host
    let answer = try await send(.get(["sys", "internal", "ui", "mounts"] + path.segments))
    guard answer.meaning == .ok, let json = answer.json else {
      guard answer.meaning == .denied else { throw answer.failure() }
      throw RemoteFailure(.denied, VaultMessages.mountDenied(host), hint: VaultMessages.noMountHint)
    }
    func text(_ node: JSONNode?) -> String? { node.flatMap { json.text($0) } }
    guard let type = text(json["data", "type"]), let mounted = text(json["data", "path"]) else {
      throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
    }
    guard ["kv", "generic"].contains(type) else { throw RemoteFailure(.unreadable, VaultMessages.otherEngine(host)) }
    let segments = mounted.split(separator: "/").map(String.init)
    guard !segments.isEmpty, path.segments.starts(with: segments) else {
      throw RemoteFailure(.unreadable, RemoteMessages.wrongShape(host))
    }
    switch text(json["data", "options", "version"]) {
    case nil, "", "1": return VaultMount(path: segments, version: 1, id: text(json["data", "uuid"]))
    case "2": return VaultMount(path: segments, version: 2, id: text(json["data", "uuid"]))
    default: throw RemoteFailure(.unreadable, VaultMessages.otherEngine(host))
    }
  }
}
