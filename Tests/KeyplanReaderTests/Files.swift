import Foundation

func bytes(of path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: path))) }

func mode(of path: String) throws -> Int? {
  try (FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
}

/// Writes a file that only this user can read.
func replace(_ path: String, with bytes: [UInt8]) throws {
  try Data(bytes).write(to: URL(fileURLWithPath: path))
  try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
}
