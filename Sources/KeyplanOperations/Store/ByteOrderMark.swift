internal import KeyplanReporting

/// The byte order mark, which some editors write at the beginning of a text file.
enum ByteOrderMark {
  private static let utf8: [UInt8] = [0xef, 0xbb, 0xbf]
  private static let utf16: [[UInt8]] = [[0xff, 0xfe], [0xfe, 0xff]]

  /// The number of bytes of the mark in a file with an identity; 0 if there is none.
  /// - Throws: for a text in UTF-16.
  static func length(in bytes: [UInt8], _ shown: String) throws(Failure) -> Int {
    guard !utf16.contains(where: { bytes.starts(with: $0) }) else {
      throw Failure(
        .storeRefused, "Invalid identity", "\(shown) is encoded in UTF-16.", hint: "Save it again, as UTF-8.")
    }
    return bytes.starts(with: utf8) ? utf8.count : 0
  }
}
