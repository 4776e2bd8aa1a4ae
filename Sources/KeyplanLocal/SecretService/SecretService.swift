import KeyplanModel
import KeyplanSecrets

/// A session with the program that provides the Secret Service (freedesktop.org, "Secret Service API Draft", 0.2). Secrets
/// are sent unencrypted over the bus's socket, which only this user can open. It never prompts, and so never unlocks.
struct SecretService: ~Copyable {
  private let bus: SessionBus
  private let session: String

  static let name = "org.freedesktop.secrets"
  private static let root = "/org/freedesktop/secrets"
  private static let service = "org.freedesktop.Secret.Service"
  private static let collection = "org.freedesktop.Secret.Collection"
  private static let item = "org.freedesktop.Secret.Item"
  /// The path of "no object", such as no prompt.
  private static let none = "/"

  typealias Failure = SessionBus.Failure

  init(_ bus: consuming SessionBus) throws(Failure) {
    session = try bus.call(
      "OpenSession", of: Self.service, at: Self.root, on: Self.name
    ) { (message) throws(Failure) in
      try message.append("plain")
      try message.append("v", of: "s") { (message) throws(Failure) in try message.append("") }
    } reading: { (reply) throws(Failure) in
      try reply.skip("v")
      return try reply.text("o")
    }
    self.bus = bus
  }

  /// The paths of items in all collections.
  struct Found {
    let unlocked: [String]
    let locked: [String]
  }

  /// Finds the items that have these attributes, and perhaps others.
  func search(_ attributes: [String: String]) throws(Failure) -> Found {
    try call("SearchItems", of: Self.service, at: Self.root) { (message) throws(Failure) in
      try Self.append(attributes, to: &message)
    } reading: { (reply) throws(Failure) in
      Found(unlocked: try reply.texts("o"), locked: try reply.texts("o"))
    }
  }

  /// The secrets by item. An item that is locked or deleted is missing in the result.
  func secrets(of items: [String]) throws(Failure) -> [String: SecretBox] {
    try call("GetSecrets", of: Self.service, at: Self.root) { [session] (message) throws(Failure) in
      try message.append("a", of: "o") { (message) throws(Failure) in
        for item in items { try message.append(item, as: "o") }
      }
      try message.append(session, as: "o")
    } reading: { (reply) throws(Failure) in
      try reply.read("a", of: "{o(oayays)}") { (reply) throws(Failure) in
        var secrets: [String: SecretBox] = [:]
        while let (item, secret) = try reply.next(
          "e", of: "o(oayays)",
          { (entry) throws(Failure) in
            let item = try entry.text("o")
            return (
              item,
              try entry.read("r", of: "oayays") { (secret) throws(Failure) in
                try secret.skip("oay")
                let value = try secret.secret()
                try secret.skip("s")
                return value
              }
            )
          })
        {
          secrets[item] = secret
        }
        return secrets
      }
    }
  }

  /// The path of the collection that new items belong to; nil if there is none.
  func defaultCollection() throws(Failure) -> String? {
    let path = try call("ReadAlias", of: Self.service, at: Self.root) { (message) throws(Failure) in
      try message.append("default")
    } reading: { (reply) throws(Failure) in
      try reply.text("o")
    }
    return path == Self.none ? nil : path
  }

  /// Whether a collection is locked: some programs do not find the items of locked ones.
  func hasLockedCollection() throws(Failure) -> Bool {
    let paths = try property("Collections", of: Self.service, at: Self.root, type: "ao") { (value) throws(Failure) in
      try value.texts("o")
    }
    for path in paths {
      let isLocked = try property("Locked", of: Self.collection, at: path, type: "b") { (value) throws(Failure) in
        try value.bool()
      }
      if isLocked { return true }
    }
    return false
  }

  /// Creates an item in a collection.
  /// - Returns: false if that requires a prompt.
  func create(
    _ secret: SecretBox, label: String, attributes: [String: String], in collection: String
  ) throws(Failure) -> Bool {
    try call("CreateItem", of: Self.collection, at: collection) { (message) throws(Failure) in
      try message.append("a", of: "{sv}") { (message) throws(Failure) in
        try message.append("e", of: "sv") { (entry) throws(Failure) in
          try entry.append("\(Self.item).Label")
          try entry.append("v", of: "s") { (value) throws(Failure) in try value.append(label) }
        }
        try message.append("e", of: "sv") { (entry) throws(Failure) in
          try entry.append("\(Self.item).Attributes")
          try entry.append("v", of: "a{ss}") { (value) throws(Failure) in try Self.append(attributes, to: &value) }
        }
      }
      try append(secret, to: &message)
      try message.append(true)
    } reading: { (reply) throws(Failure) in
      try reply.skip("o")
      return try reply.text("o") == Self.none
    }
  }

  /// Replaces the secret of an item; label and attributes stay.
  func set(_ secret: SecretBox, of item: String) throws(Failure) {
    try call("SetSecret", of: Self.item, at: item) { (message) throws(Failure) in
      try append(secret, to: &message)
    } reading: { (_) throws(Failure) in
    }
  }

  /// Deletes an item.
  /// - Returns: false if that requires a prompt.
  func delete(_ item: String) throws(Failure) -> Bool {
    try call("Delete", of: Self.item, at: item) { (_) throws(Failure) in
    } reading: { (reply) throws(Failure) in
      try reply.text("o") == Self.none
    }
  }

  private func append(_ secret: SecretBox, to message: inout BusMessage) throws(Failure) {
    try message.append("r", of: "oayays") { (message) throws(Failure) in
      try message.append(session, as: "o")
      try message.append(SecretBox([]))
      try message.append(secret)
      try message.append("text/plain")
    }
  }

  private static func append(_ attributes: [String: String], to message: inout BusMessage) throws(Failure) {
    try message.append("a", of: "{ss}") { (message) throws(Failure) in
      for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
        try message.append("e", of: "ss") { (entry) throws(Failure) in
          try entry.append(name)
          try entry.append(value)
        }
      }
    }
  }

  private func property<Result>(
    _ name: String, of interface: String, at path: String, type: String,
    _ read: (inout BusMessage) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try call("Get", of: "org.freedesktop.DBus.Properties", at: path) { (message) throws(Failure) in
      try message.append(interface)
      try message.append(name)
    } reading: { (reply) throws(Failure) in
      try reply.read("v", of: type, read)
    }
  }

  private func call<Result>(
    _ member: String, of interface: String, at path: String, writing: (inout BusMessage) throws(Failure) -> Void,
    reading: (inout BusMessage) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try bus.call(member, of: interface, at: path, on: Self.name, writing: writing, reading: reading)
  }
}
