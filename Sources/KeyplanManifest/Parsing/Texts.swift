extension StringProtocol {
  /// The range of the first occurrence of an ASCII text, compared by bytes.
  func range(ofFirst piece: StaticString) -> Range<Index>? {
    let bytes = utf8
    return piece.withUTF8Buffer { piece in
      guard let first = piece.first else { return nil }
      var start = bytes.startIndex
      while let hit = bytes[start...].firstIndex(of: first) {
        if bytes[hit...].starts(with: piece) { return hit..<bytes.index(hit, offsetBy: piece.count) }
        start = bytes.index(after: hit)
      }
      return nil
    }
  }
}
