import KeyplanModel

/// A parsed manifest that is not validated: each part is parsed by itself. Unreadable parts are left out, with a
/// diagnostic.
struct RawManifest {
  var store = RawStore()
  var defaultEnvironment: Located<String>?
  var recipients: [Declaration<Recipient, RawRecipient>]?
  var recipientsPlace: FileLocation?
  var connections: [Declaration<Connection, RawConnection>] = []
  /// All usable connections: the declared ones, and those that a reference or target uses by a backend's own name.
  var usable: [Identifier<Connection>: Connection] = [:]
  var providers: [Declaration<Provider, RawProvider>] = []
  var policies: [Declaration<Expiry, Expiry?>] = []
  var exposedFor: Interval?
  var verifiedEvery: Interval?
  var keys: [Declaration<Key, RawKey>] = []
  var slots: [Declaration<Slot, [Located<String>]?>] = []
  /// The recipients that can open the values of a slot's keys.
  var slotRecipients: [Identifier<Slot>: [Located<String>]] = [:]
  var calendars: [Declaration<Account, RawCalendar>] = []
  var targets: [Declaration<Target, RawTarget>] = []
  var migrations: [RawMigration] = []
  var rules: [Declaration<Rule, RawRule>] = []
}

/// A value and its location.
struct Located<Value> {
  let value: Value
  let place: FileLocation
}

/// An entry of a section.
struct Declaration<Thing, Value> {
  let name: Identifier<Thing>
  /// The location of the name.
  let place: FileLocation
  let value: Value
}

struct RawConnection {
  /// Nil if it could not be read.
  var backend: BackendDescription?
  var values: [String: Connection.Value] = [:]
  /// The name of an unsupported feature, for a message; nil if it can be used.
  var unsupported: String?
}

enum RawRecipient {
  /// - isSealed: whether only a key management service opens its identity.
  case key(String, can: Recipient.Role, isSealed: Bool)
  case passphrase
  case unreadable

  var isSealed: Bool { if case .key(_, _, let isSealed) = self { isSealed } else { false } }
}

struct RawProvider {
  /// Whether it has no fields, so that it must be a built-in provider.
  var isBare = true
  var format: FormatPattern?
  var variable: String?
  /// The address that checks its keys.
  var address: String?
  /// The description of the check.
  var check: LayeredNode?
  /// The location of the check, otherwise of the address.
  var place: FileLocation?
}

struct RawKey {
  var provider: Located<String>?
  var texts = KeyTexts()
  /// Nil without a source.
  var sources: [RawSource]?
  /// The way in which the value is generated; its content is nil if that could not be read.
  var generated: Located<GeneratedValue?>?
  /// The place where the key is made; its content is nil if that could not be read.
  var minted: Located<RawMinting?>?
  /// The way in which the value is made of others; its content is nil if that could not be read.
  var composed: Located<Composition?>?
  /// The variables of a key with several parts, by the parts' names.
  var parts: [RawPart]?
  /// The location of `parts`.
  var partsPlace: FileLocation?
  var expires: RawExpiry?
  var issued: Located<Moment>?
  var variable: Located<String>?
  /// The location of `unsafeName: true`; nil if it is not set.
  var unsafeName: FileLocation?
  var follow = Key.Follow.always
  var isProtected = false
  /// The recipients that can open its value; nil for all.
  var recipients: [Located<String>]?
  var labels: [String: String] = [:]
  var keptFor = KeptFor()
}

/// The place where a key is made.
struct RawMinting {
  // Stored indirectly: few keys have one, and it would enlarge every key.
  @Indirect var connection: Connection
  @Indirect var issuer: IssuerGrammar
  /// The fields of the place.
  let fields: [String: String]
}

/// One part of a key that has several.
struct RawPart {
  let name: Located<String>
  /// Nil for a part that is not exported.
  let variable: Located<String>?
}

enum RawSource {
  case supported(Reference)
  /// The name of an unsupported feature, for a message.
  case unsupported(String, FileLocation)
  case unreadable
}

enum RawExpiry {
  case policy(Located<String>)
  /// - then: the location of the consequence.
  case own(Expiry, then: FileLocation)
}

struct RawTarget {
  /// Nil if it could not be read.
  var type: Located<String>?
  /// A file's path; nil for other targets.
  var path: Located<String>?
  /// The fields that identify the location of a target that is not a file.
  var parts: [String: String] = [:]
  /// The connection to a target that is not a file; nil if it needs none.
  var connection: Connection?
  /// The name of an unsupported feature of its connection, for a message.
  var unsupported: String?
  /// Whether all required parts could be read.
  var isComplete = true
  var entries: [RawEntry] = []
  var takeOver = false
  /// The location of `unsafeName: true`; nil if it is not set.
  var unsafeName: FileLocation?
  var mode: FileMode?
  var hook: Reference?
}

struct RawEntry {
  let name: Target.Entry.Name
  /// The location of the name, to report duplicates.
  let place: FileLocation
  let feed: Located<RawFeed>
}

enum RawFeed {
  case key(String)
  case slot(String)
}

struct RawCalendar {
  /// The fields with a reference, in addition to the client's secret.
  static let secrets = ["password", "token", "keyFile"]

  var place: FileLocation?
  var clientPlace: FileLocation?
  /// Nil if it could not be read.
  var service: AccountFacts.Service?
  var account: String?
  var calendar: String?
  var client: String?
  var tenant: String?
  var isTesting = false
  var signIn: Account.SignIn?
  var url: String?
  /// By field; `secret` is that of the client.
  var references: [String: RawSource] = [:]
  var expires: RawExpiry?
  var endpoints: [AccountFacts.Endpoint: String] = [:]
  /// The location of each field; those of the client as `client.id`.
  var places: [String: FileLocation] = [:]
}

struct RawMigration {
  enum Origin {
    case moved(Located<String>)
    case adopted(RawSource, original: Located<String>?)
  }

  let number: Int
  let place: FileLocation
  let origin: Origin?
  let to: Located<String>?
}

struct RawRule {
  /// Nil for all.
  var environments: [String]?
  /// Nil for all.
  var keys: [Located<String>]?
  var maxAge: Interval?
  var allowSources: [Located<String>]?
  var forbidSources: [Located<String>]?
  var allowProviders: [Located<String>]?
}
