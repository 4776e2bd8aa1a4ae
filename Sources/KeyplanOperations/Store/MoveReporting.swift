package import KeyplanModel
package import KeyplanReporting
package import KeyplanStore

extension MoveReport {
  package init(
    _ survey: StoreMove.Survey, _ from: ResolvedStore, _ destination: StoreDestination, in world: World
  ) {
    let tables = destination.makesTables ? destination.place.shared : nil
    self.init(
      environment: from.environment, store: StoreState(survey.facts), from: from.name, to: destination.place.name,
      rows: StoreRows(records: survey.records, values: survey.values),
      destination: Destination(survey.destination), makesTablesIn: tables?.schema,
      setting: StoreSetting(
        line: destination.setting, file: destination.file, isSet: destination.isSet, replacesLine: destination.isOther,
        isVariableOld: world.settings.isStoreVariable))
  }
}

extension MoveReport.Destination {
  fileprivate init(_ destination: StoreMove.Destination) {
    self =
      switch destination {
      case .empty: .empty
      case .begun: .begun
      case .left: .left
      case .copied: .copied
      case .there: .there
      }
  }
}

extension MoveUndoReport.Loss {
  package init(_ loss: MoveUndoing.Loss) {
    self =
      switch loss {
      case .unreachable(let reason): .unreachable(reason)
      case .absent: .absent
      case .anotherStore: .anotherStore
      }
  }
}

extension StoreState {
  package init(_ facts: StoreFacts) { self.init(id: facts.id, serial: facts.serial, epoch: facts.epoch) }
}

extension ResolvedStore {
  /// The place for reports.
  package var name: StorePlaceName { StorePlaceName(shown: shown, lasting: lasting) }
}

extension LockHolder {
  package init(_ holder: StoreLock.Holder, of account: Identifier<Account>? = nil) {
    self.init(
      account: account, process: Int(holder.process), host: holder.host, since: holder.since, command: holder.command,
      id: holder.id.map { Int($0) }, job: holder.job, silence: holder.silence.map { Int($0) })
  }
}
