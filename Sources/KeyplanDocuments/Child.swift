/// A name inside a container, as the key of a document's index: one dictionary finds every value in the file.
///
/// Names are bytes: Swift's strings equate different ones (`é` composed and decomposed), documents do not.
struct Child: Hashable {
  let container: Int
  let name: [UInt8]
}
