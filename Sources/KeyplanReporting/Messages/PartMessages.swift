internal import KeyplanModel
internal import KeyplanPlanning

extension PartVersion {
  /// `accessKeyId of version 2`, `secretAccessKey set by hand`
  var words: String { key.partName + (made.map { " of version \($0)" } ?? " set by hand") }
}
