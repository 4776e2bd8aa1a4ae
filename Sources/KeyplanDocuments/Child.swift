/// A name inside a container: the key of a document's index, in which one dictionary holds every value of the file.
///
/// Names are bytes: Swift's strings treat different ones as equal (`é` composed and decomposed), documents do not.
struct Child: Hashable {
  let container: Int
  let name: [UInt8]
}
