/// The format of a store: how rows are sealed, how records are encoded, and how the digest is authenticated. Its name is in the
/// header, which the root authenticates, and in whatever else is authenticated.
///
/// A record can get new fields without another format (`ByteReader.fields`). The name of a later format is followed by the first
/// version of keyplan that reads it, for example `kp2/0.3.0`, so that earlier versions can name it.
package enum StoreFormat {
  package static let name = "kp1"
}
