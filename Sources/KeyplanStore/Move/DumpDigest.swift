import Crypto

extension StoredRows {
  /// SHA-256 over everything that is equal in two copies of a store: every row of both tables, and the parts of the
  /// header that a move does not change.
  var digest: [UInt8] {
    var head = LengthPrefixed()
    head.append(header.store)
    head.append(header.epoch)
    head.append(header.count)
    head.append(header.buckets)
    head.append(keyring: header.keyring)
    var hash = SHA256()
    hash.update(data: head.bytes)
    for (table, rows) in [("records", records), ("secrets", values)] {
      var fields = LengthPrefixed()
      fields.append(table)
      fields.append(Int64(rows.count))
      hash.update(data: fields.bytes)
      for row in rows {
        var fields = LengthPrefixed()
        fields.append(row)
        hash.update(data: fields.bytes)
      }
    }
    return hash.finalize().withUnsafeBytes { [UInt8]($0) }
  }
}
