import KeyplanModel
import KeyplanPorts

extension CommitBuilder {
  /// Seals everything written so far, so that it need not be kept until the end.
  mutating func seal() throws(StoreError) {
    state.seals += Int64(written.count)
    // One more is the state.
    guard state.seals < Sealer.sealLimit else {
      throw StoreError(
        .io, "The root key has reached its limit of sealed records.",
        hint: "Remove a recipient, which creates a new root key.")
    }
    for (id, record) in written { try seal(record, as: id) }
    for (value, binding) in newValues.values { sealedValues.append(try sealer.seal(value: value, binding)) }
    (written, newValues) = ([:], [:])
  }

  private mutating func seal(_ record: StoredRecord, as id: RowID) throws(StoreError) {
    let row = try sealer.seal(record: record.encoded, as: id)
    if rows.updateValue(row, forKey: id) == nil { added += 1 }
    sealedRecords.append(row)
  }

  /// Seals all that is left and the state, and updates the digest.
  mutating func sealed() throws(StoreError) -> Batch {
    try seal()
    state.seals += 1
    try seal(.state(state), as: sealer.keys.stateID)
    var batch = Batch(header: header)
    batch.removedRecords = removed.filter { rows.removeValue(forKey: $0) != nil }
    batch.removedValues = removedValues
    batch.header.serial += 1
    batch.header.count += added - Int64(batch.removedRecords.count)
    if wrapsKeyring {
      batch.replacesKeyring = true
      batch.header.keyring = try keyrings()
        .merging(header.keyring.filter { GroupKey.id(slot: $0.key) != nil }) { first, _ in first }
    }
    if !newGroupFiles.isEmpty {
      batch.replacesKeyring = true
      batch.header.keyring.merge(newGroupFiles) { $1 }
    }
    try sealBuckets(of: &batch.header)
    (batch.records, batch.values) = (sealedRecords, sealedValues)
    return batch
  }

  private func keyrings() throws(StoreError) -> [String: [UInt8]] {
    let root = try sealer.keys.keyring
    var files = try root.files(for: Self.encryptionRecipients(state.recipients, for: .full), plugins: plugins)
    let planners = try Self.encryptionRecipients(state.recipients, for: .plan)
    if !planners.isEmpty {
      files.merge(try sealer.keys.planKeyring.files(for: planners, plugins: plugins)) { $1 }
    }
    return files
  }

  private func sealBuckets(of header: inout Header) throws(StoreError) {
    let digest = Digest(keys: sealer.keys)
    let touched = Set(sealedRecords.map(\.id.bucket)).union(removed.map(\.bucket))
    var members: [UInt8: [Row]] = [:]
    for row in rows.values where touched.contains(row.id.bucket) { members[row.id.bucket, default: []].append(row) }
    for bucket in touched {
      let offset = 16 * Int(bucket)
      let sorted = members[bucket, default: []].sorted { $0.id < $1.id }
      header.buckets.replaceSubrange(offset..<offset + 16, with: digest.bucket(bucket, sorted))
    }
    header.root = try digest.root(of: header)
  }
}
