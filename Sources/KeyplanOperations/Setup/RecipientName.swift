/// The default name of a recipient in the manifest.
package enum RecipientName {
  /// The login name, made to fit; `me` if there is none.
  package static func suggestion(in world: World) -> String {
    let login = (world.variable("USER") ?? world.variable("LOGNAME") ?? "me").lowercased()
    let fitting = login.utf8.filter { byte in
      (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2d || byte == 0x5f
    }
    let name = String(decoding: fitting.drop { $0 == 0x2d || $0 == 0x5f }.prefix(63), as: UTF8.self)
    return name.isEmpty ? "me" : name
  }
}
