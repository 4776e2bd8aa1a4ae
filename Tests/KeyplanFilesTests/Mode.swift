import Testing

@testable import KeyplanFiles

/// The permission bits of the name itself.
func mode(_ path: String) throws -> UInt32 {
  try #require(try Status.ofName(path, path: path)).mode
}
