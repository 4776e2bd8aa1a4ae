import KeyplanModel
import KeyplanPorts

extension ByteWriter {
  mutating func fields(of state: StateRecord) {
    field(1, moment: state.appliedAt)
    field(2, number: state.seals)
    for (name, recipient) in state.recipients.sorted(by: { $0.key < $1.key }) {
      field(3) { writer in
        writer.field(1, text: name.name)
        writer.field(2, text: recipient.publicKey)
        writer.field(3, text: recipient.role.rawValue)
        writer.unknown(state.unknown, in: 3, Array(name.name.utf8))
      }
    }
    for item in state.surface.items.sorted() { field(4) { $0.fields(of: item, state) } }
    for (address, began) in state.open.sorted(by: { $0.key < $1.key }) {
      field(5) { writer in
        writer.field(1, text: address.description)
        writer.field(2, moment: began)
        writer.unknown(state.unknown, in: 5, Array(address.description.utf8))
      }
    }
    for forgotten in state.forgotten {
      field(6) { writer in
        writer.field(1, text: forgotten.name)
        writer.field(2, moment: forgotten.at)
        writer.unknown(state.unknown, in: 6, Array(forgotten.name.utf8))
      }
    }
    for mark in state.migrated.sorted() { field(7, text: mark) }
    for (target, attempt) in state.attempts.sorted(by: { $0.key < $1.key }) {
      field(8) { writer in
        writer.field(1, text: target.name)
        writer.destination(attempt.destination, from: 2)
        for (name, key) in attempt.names.sorted(by: { $0.key < $1.key }) { writer.field(5, pair: name, key.name) }
        writer.unknown(state.unknown, in: 8, Array(target.name.utf8))
      }
    }
    if let serial = state.movedAt { field(9, number: serial) }
    for applied in state.applied { field(10) { $0.fields(of: applied, state) } }
    for demand in state.guards.demands.sorted() {
      field(11) { writer in
        writer.field(1, text: demand.rule)
        writer.field(2, text: demand.words)
        writer.field(3, if: demand.keys != nil)
        for key in demand.keys ?? [] { writer.field(4, text: key.name) }
        writer.unknown(state.unknown, in: 11, Array(demand.description.utf8))
      }
    }
    for waiver in state.guards.waivers.sorted() { field(12, text: waiver) }
    for (target, since) in state.dueHooks.sorted(by: { $0.key < $1.key }) {
      field(13) { writer in
        writer.field(1, text: target.name)
        writer.field(2, moment: since)
        writer.unknown(state.unknown, in: 13, Array(target.name.utf8))
      }
    }
    for (key, attempt) in state.mints.sorted(by: { $0.key < $1.key }) {
      field(14) { writer in
        writer.field(1, text: key.name)
        writer.destination(attempt.place, from: 2)
        writer.field(5, text: attempt.label)
        writer.field(6, if: attempt.known != nil)
        for id in attempt.known ?? [] { writer.field(7, text: id) }
        for id in attempt.lost { writer.field(8, text: id) }
        writer.field(9, moment: attempt.began)
        for id in attempt.unexplained { writer.field(10, text: id) }
        for label in attempt.late { writer.field(12, text: label) }
        writer.unknown(state.unknown, in: 14, Array(key.name.utf8))
      }
    }
    field(15) { $0.raw(state.digestKey) }
    for (address, failure) in state.failures.sorted(by: { $0.key < $1.key }) {
      field(16) { writer in
        writer.field(1, text: address.description)
        writer.field(2, moment: failure.since)
        if let reason = failure.reason { writer.field(3, text: reason) }
        writer.unknown(state.unknown, in: 16, Array(address.description.utf8))
      }
    }
    if let undone = state.undone {
      field(17) { writer in
        writer.field(1, text: undone.place)
        writer.field(2, moment: undone.at)
        writer.unknown(state.unknown, in: 17, Array(undone.place.utf8))
      }
    }
    raw(state.unknown.own)
  }

  private mutating func fields(of plan: AppliedPlan, _ state: StateRecord) {
    field(1, text: plan.id)
    field(2, moment: plan.at)
    field(3, if: plan.isIncomplete)
    field(4, text: plan.invocation?.command)
    field(6, text: plan.invocation?.recipient?.name)
    let job = plan.invocation?.job
    field(8, text: job?.service)
    field(10, text: job?.actor)
    field(12, text: job?.workflow)
    field(14, text: job?.commit)
    field(16, text: job?.url)
    for (action, count) in plan.done.sorted(by: { $0.key < $1.key }) { field(18, pair: action, "\(count)") }
    if plan.serial > 0 { field(20, number: plan.serial) }
    unknown(state.unknown, in: 10, Array(plan.id.utf8))
  }

  private mutating func fields(of item: ExternalAccess, _ state: StateRecord) {
    field(1, text: item.description)
    for term in (state.surface[item] ?? []).sorted() { field(3, text: term) }
    unknown(state.unknown, in: 4, Array(item.description.utf8))
  }
}

extension ByteReader {
  mutating func stateFields() throws(Malformed) -> StateRecord {
    var state = StateRecord()
    var seals: Int64?
    var unknown = UnknownFields()
    let lists: UInt64 =
      1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13
      | 1 << 14 | 1 << 16
    unknown.own = try fields(lists: lists) { reader, number throws(Malformed) in
      switch number {
      case 1: state.appliedAt = try reader.moment()
      case 2: seals = try reader.number()
      case 3: try reader.recipientFields(&state, &unknown)
      case 4: try reader.surfaceFields(&state, &unknown)
      case 5:
        let (text, began) = try reader.datedFields(of: 5, &unknown)
        guard let address = Address(text) else { throw Malformed() }
        state.open[address] = began
      case 6:
        let (name, at) = try reader.datedFields(of: 6, &unknown)
        guard let forgotten = StateRecord.Forgotten(name: name, at: at) else { throw Malformed() }
        state.forgotten.append(forgotten)
      case 7: state.migrated.insert(try reader.rest())
      case 8: try reader.attemptFields(&state, &unknown)
      case 9: state.movedAt = try reader.number()
      case 10: try reader.planFields(&state, &unknown)
      case 11: try reader.demandFields(&state, &unknown)
      case 12: state.guards.waivers.insert(try reader.rest())
      case 13:
        let (text, since) = try reader.datedFields(of: 13, &unknown)
        guard let target = Identifier<Target>(text) else { throw Malformed() }
        state.dueHooks[target] = since
      case 14: try reader.mintFields(&state, &unknown)
      case 15: state.digestKey = Array(try reader.raw(32))
      case 16: try reader.failureFields(&state, &unknown)
      case 17:
        let (place, at) = try reader.datedFields(of: 17, &unknown)
        state.undone = UndoneMove(place: place, at: at)
      default: return false
      }
      return true
    }
    state.seals = try seals.required()
    guard !state.digestKey.isEmpty else { throw Malformed() }
    state.unknown = unknown
    return state
  }

  private mutating func demandFields(_ state: inout StateRecord, _ unknown: inout UnknownFields) throws(Malformed) {
    var (rule, words): (String?, String?)
    var (isAboutSome, keys): (Bool, [Identifier<Key>]) = (false, [])
    let kept = try fields(lists: 1 << 4) { reader, number throws(Malformed) in
      switch number {
      case 1: rule = try reader.rest()
      case 2: words = try reader.rest()
      case 3: isAboutSome = true
      case 4: keys.append(try reader.name())
      default: return false
      }
      return true
    }
    let demand = Guards.Demand(rule: try rule.required(), keys: isAboutSome ? keys : nil, words: try words.required())
    unknown.keep(kept, in: 11, Array(demand.description.utf8))
    state.guards.demands.insert(demand)
  }

  private mutating func recipientFields(
    _ state: inout StateRecord, _ unknown: inout UnknownFields
  ) throws(Malformed) {
    var name: Identifier<Recipient>?
    var publicKey: String?
    var role: Recipient.Role?
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: name = try reader.name()
      case 2: publicKey = try reader.rest()
      case 3: role = try reader.value()
      default: return false
      }
      return true
    }
    let known = try name.required()
    unknown.keep(kept, in: 3, Array(known.name.utf8))
    state.recipients[known] = Recipient(publicKey: try publicKey.required(), role: try role.required())
  }

  private mutating func surfaceFields(_ state: inout StateRecord, _ unknown: inout UnknownFields) throws(Malformed) {
    var item: ExternalAccess?
    var terms: Set<String> = []
    let kept = try fields(lists: 1 << 3) { reader, number throws(Malformed) in
      switch number {
      case 1: item = try reader.surfaceItem()
      case 3: terms.insert(try reader.rest())
      default: return false
      }
      return true
    }
    let known = try item.required()
    unknown.keep(kept, in: 4, Array(known.description.utf8))
    state.surface[known] = terms
  }

  private mutating func datedFields(
    of field: UInt64, _ unknown: inout UnknownFields
  ) throws(Malformed) -> (text: String, at: Moment) {
    var (text, at): (String?, Moment?)
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: text = try reader.rest()
      case 2: at = try reader.moment()
      default: return false
      }
      return true
    }
    let known = try text.required()
    unknown.keep(kept, in: field, Array(known.utf8))
    return (known, try at.required())
  }

  private mutating func planFields(_ state: inout StateRecord, _ unknown: inout UnknownFields) throws(Malformed) {
    var (id, at, isIncomplete): (String?, Moment?, Bool) = (nil, nil, false)
    var (command, recipient): (String?, Identifier<Recipient>?)
    var (service, actor, workflow, commit, url): (String?, String?, String?, String?, String?)
    var (done, serial): ([String: Int], Int64) = ([:], 0)
    let kept = try fields(lists: 1 << 18) { reader, number throws(Malformed) in
      switch number {
      case 1: id = try reader.rest()
      case 2: at = try reader.moment()
      case 3: isIncomplete = true
      case 4: command = try reader.rest()
      case 6: recipient = try reader.name()
      case 8: service = try reader.rest()
      case 10: actor = try reader.rest()
      case 12: workflow = try reader.rest()
      case 14: commit = try reader.rest()
      case 16: url = try reader.rest()
      case 18:
        let (action, count) = try reader.pair()
        done[action] = try Int(count).required()
      case 20: serial = try reader.number()
      default: return false
      }
      return true
    }
    let job = service.map { JobFacts(recorded: $0, actor: actor, workflow: workflow, commit: commit, url: url) }
    let known = try id.required()
    unknown.keep(kept, in: 10, Array(known.utf8))
    state.applied.append(
      AppliedPlan(
        id: known, at: try at.required(), isIncomplete: isIncomplete,
        invocation: command.map { Invocation(command: $0, recipient: recipient, job: job) }, done: done,
        serial: serial))
  }

  private mutating func mintFields(_ state: inout StateRecord, _ unknown: inout UnknownFields) throws(Malformed) {
    var (key, label): (Identifier<Key>?, String?)
    var place = DestinationFields()
    var (wasListed, known, lost): (Bool, [String], [String]) = (false, [], [])
    var (began, unexplained, late): (Moment?, [String], [String]) = (nil, [], [])
    let kept = try fields(lists: 1 << 7 | 1 << 8 | 1 << 10 | 1 << 12) { reader, number throws(Malformed) in
      switch number {
      case 1: key = try reader.name()
      case 2...4: try place.read(number - 2, &reader)
      case 5: label = try reader.rest()
      case 6: wasListed = true
      case 7: known.append(try reader.rest())
      case 8: lost.append(try reader.rest())
      case 9: began = try reader.moment()
      case 10: unexplained.append(try reader.rest())
      case 12: late.append(try reader.rest())
      default: return false
      }
      return true
    }
    let name = try key.required()
    unknown.keep(kept, in: 14, Array(name.name.utf8))
    state.mints[name] = MintAttempt(
      place: try place.destination(), label: try label.required(), known: wasListed ? known : nil, lost: lost,
      began: try began.required(), unexplained: unexplained, late: late)
  }

  private mutating func failureFields(_ state: inout StateRecord, _ unknown: inout UnknownFields) throws(Malformed) {
    var text: String?
    var since: Moment?
    var reason: String?
    let kept = try fields { reader, number throws(Malformed) in
      switch number {
      case 1: text = try reader.rest()
      case 2: since = try reader.moment()
      case 3: reason = try reader.rest()
      default: return false
      }
      return true
    }
    guard let known = Address(try text.required()) else { throw Malformed() }
    unknown.keep(kept, in: 16, Array(known.description.utf8))
    state.failures[known] = StepError(since: try since.required(), reason: reason)
  }

  private mutating func attemptFields(_ state: inout StateRecord, _ unknown: inout UnknownFields) throws(Malformed) {
    var target: Identifier<Target>?
    var destination = DestinationFields()
    var names: [String: Identifier<Key>] = [:]
    let kept = try fields(lists: 1 << 5) { reader, number throws(Malformed) in
      switch number {
      case 1: target = try reader.name()
      case 2...4: try destination.read(number - 2, &reader)
      case 5:
        let name = try reader.text()
        names[name] = try reader.name()
      default: return false
      }
      return true
    }
    let known = try target.required()
    unknown.keep(kept, in: 8, Array(known.name.utf8))
    state.attempts[known] = WriteAttempt(destination: try destination.destination(), names: names)
  }
}
