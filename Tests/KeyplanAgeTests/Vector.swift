import Foundation
import Testing

/// One file of C2SP's CCTV: what is expected, the key, and the age file.
struct Vector {
  private let fields: [(key: String, value: String)]
  let file: [UInt8]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/cctv")

  static func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  init(named name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: name)))
    let gap = try #require(bytes.indices.dropLast().first { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A })
    fields = String(decoding: bytes[..<gap], as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.split(separator: ": ", maxSplits: 1)
      return (String(parts[0]), String(parts[parts.count - 1]))
    }
    let rest = Array(bytes[(gap + 2)...])
    file = fields.contains { $0 == ("compressed", "zlib") } ? try inflate(rest) : rest
  }

  subscript(key: String) -> [String] { fields.filter { $0.key == key }.map(\.value) }
}

/// zlib's `uncompress`, found at run time so that no target has to link it.
private func inflate(_ compressed: [UInt8]) throws -> [UInt8] {
  typealias Uncompress =
    @convention(c) (
      UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<CUnsignedLong>, UnsafePointer<UInt8>, CUnsignedLong
    ) -> CInt
  let library = try #require(dlopen("libz.so.1", RTLD_NOW) ?? dlopen("libz.dylib", RTLD_NOW), "zlib is not installed")
  let uncompress = unsafeBitCast(try #require(dlsym(library, "uncompress")), to: Uncompress.self)
  var bytes = [UInt8](repeating: 0, count: 20 << 20)
  var count = CUnsignedLong(bytes.count)
  let status = uncompress(&bytes, &count, compressed, CUnsignedLong(compressed.count))
  try #require(status == 0)
  return Array(bytes[..<Int(count)])
}
