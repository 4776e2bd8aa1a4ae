import Foundation
import Testing

/// All that a process can write to, as it is now. Only root may read it.
struct ProcessMemory {
  private let parts: [Data]

  init(of process: pid_t) throws {
    let map = try String(contentsOfFile: "/proc/\(process)/maps", encoding: .utf8)
    let file = open("/proc/\(process)/mem", O_RDONLY)
    try #require(file >= 0, "\(String(cString: strerror(errno)))")
    defer { close(file) }
    parts = map.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      let bounds = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard words[1].hasPrefix("rw"), bounds.count == 2, bounds[1] - bounds[0] < 1 << 28 else { return nil }
      var bytes = Data(count: bounds[1] - bounds[0])
      let count = bytes.withUnsafeMutableBytes { pread(file, $0.baseAddress, $0.count, bounds[0]) }
      return count > 0 ? bytes.prefix(count) : nil
    }
  }

  func contains(_ text: some StringProtocol) -> Bool {
    parts.contains { $0.firstRange(of: Data(text.utf8)) != nil }
  }
}
