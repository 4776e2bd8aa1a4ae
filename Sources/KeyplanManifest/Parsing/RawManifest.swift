import KeyplanCore

/// A manifest as written: each part read by itself and held against nothing else. What could not be read is left out, and
/// has been said.
struct RawManifest {
  var store: Located<String>?
  var storePassword: Reference?
  var defaultEnvironment: Located<String>?
  var recipients: [Declaration<Recipient, RawRecipient>]?
  var recipientsPlace: FileLocation?
  var connections: [Declaration<RawConnection, Void>] = []
  var providers: [Declaration<Provider, RawProvider>] = []
  var policies: [Declaration<Expiry, Expiry?>] = []
  var keys: [Declaration<Key, RawKey>] = []
  var slots: [Declaration<Slot, [Located<String>]?>] = []
  var calendars: [Declaration<Account, RawCalendar>] = []
  var targets: [Declaration<Target, RawTarget>] = []
  var migrations: [RawMigration] = []
  var rules: [Declaration<Rule, RawRule>] = []
}

/// A value and where it stands.
struct Located<Value> {
  let value: Value
  let place: FileLocation
}

/// What a section declares under a name.
struct Declaration<Thing, Value> {
  let name: Identifier<Thing>
  /// Where the name stands.
  let place: FileLocation
  let value: Value
}

/// A named way to a vault; only its name counts yet.
enum RawConnection {}

enum RawRecipient {
  case key(String, can: Recipient.Role)
  case passphrase
  case unreadable
}

struct RawProvider {
  /// Whether it is named and nothing is said of it: a built-in one as it is.
  var isBare = true
  var format: FormatPattern?
  var variable: String?
}

struct RawKey {
  var provider: Located<String>?
  var model: String?
  /// Nil without a source.
  var sources: [RawSource]?
  var expires: RawExpiry?
  var issued: Moment?
  var variable: Located<String>?
  /// Where it stands that a name may be unsafe; nil where it does not.
  var unsafeName: FileLocation?
  var follow = Key.Follow.always
  var isProtected = false
  var labels: [String: String] = [:]
}

enum RawSource {
  case supported(Reference)
  /// In words, what cannot be read yet.
  case unsupported(String, FileLocation)
  case unreadable
}

enum RawExpiry {
  case policy(Located<String>)
  case own(Expiry)
}

struct RawTarget {
  /// Nil for a target that could not be read.
  var type: Located<String>?
  /// A file's path; nil for other targets.
  var path: Located<String>?
  /// What names the place of a target that is not a file, in the order of its type's fields; optional ones with the field's name.
  var parts: [String] = []
  /// Whether all parts that are required could be read.
  var isComplete = true
  var entries: [RawEntry] = []
  var takeOver = false
  /// Where it stands that names may be unsafe; nil where it does not.
  var unsafeName: FileLocation?
  var mode: FileMode?
}

struct RawEntry {
  let name: Target.Entry.Name
  /// Where the name stands, for two that are the same.
  let place: FileLocation
  let feed: Located<RawFeed>
}

enum RawFeed {
  case key(String)
  case slot(String)
}

struct RawCalendar {
  /// The fields that take a reference, beside the client's secret.
  static let secrets = ["password", "token", "keyFile"]

  var place: FileLocation?
  var clientPlace: FileLocation?
  /// Nil where it could not be read.
  var service: AccountFacts.Service?
  var account: String?
  var calendar: String?
  var client: String?
  var tenant: String?
  var isTesting = false
  var signIn: Account.SignIn?
  var url: String?
  /// By field; `secret` is the client's.
  var references: [String: RawSource] = [:]
  var expires: RawExpiry?
  var endpoints: [AccountFacts.Endpoint: String] = [:]
  /// Where each field stands; those of the client as `client.id`.
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
