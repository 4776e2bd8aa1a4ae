import KeyplanModel
import KeyplanPorts
import KeyplanSecrets
import KeyplanServices

/// Parameters below a path of AWS Parameter Store, as a target.
struct ParameterStoreTarget: SecretTarget {
  let session: AWSSession

  var backend: BackendDescription { session.context.backend }
  var connection: Connection? { session.context.connection }

  func look(_ question: TargetQuestion, at destination: Destination) async -> TargetSight {
    do throws(RemoteFailure) {
      let place = try ParameterPlace(destination.location, of: backend.target)
      let api = ParameterStoreAPI(client: try await session.client(.parameterStore))
      var values: [String: TargetValue] = [:]
      var failures: [String: AccessFailure] = [:]
      var blockers = WriteBlockers()
      var account: String?
      for (name, finding) in await place.read(question.names, api).sorted(by: { $0.key < $1.key }) {
        switch finding {
        case .missing: continue
        case .failed(let failure): failures[name] = failure.asAccess
        case .value(let parameter):
          let holdsNUL = parameter.value.withBytes { ValueFault(in: $0) } == .holdsNUL
          values[name] = holdsNUL ? .other : .text(parameter.value)
          account = account ?? parameter.arn.flatMap { AWSAccount.owner(of: $0) }
          if !parameter.isSecure, question.intent?.setting.contains(name) == true {
            blockers.setting[name] = WriteBlocker(
              reason: AWSMessages.plainParameter, hint: AWSMessages.deleteParameter)
          }
        }
      }
      for name in question.intent?.setting ?? [] where place.parameter(name) == nil {
        blockers.setting[name] = WriteBlocker(reason: RemoteMessages.invalidName)
      }
      return TargetSight(
        TargetAnswer(values, failures: failures, of: question.names), writeBlockers: blockers, placeId: account)
    } catch {
      return TargetSight(.failed(error.asAccess))
    }
  }

  func write(
    _ changes: TargetChanges, at destination: Destination
  ) async throws(AccessFailure) -> [String: WriteResult] {
    do throws(RemoteFailure) {
      let place = try ParameterPlace(destination.location, of: backend.target)
      let api = ParameterStoreAPI(client: try await session.client(.parameterStore))
      let found = await place.read(changes.names, api)
      var results: [String: Outcome] = [:]
      // One after the other: the service takes few writes a second, and parallel ones would only be throttled.
      for (name, value) in changes.set {
        results[name] = await set(name, to: value, over: found[name], changes, place, api)
      }
      for name in changes.remove { results[name] = await remove(name, found[name], changes, place, api) }
      return await settled(results, changes, place, api)
    } catch {
      throw error.asAccess
    }
  }

  /// The result for one name, according to the response to the write.
  private enum Outcome {
    case settled(WriteResult)
    /// The answer was lost.
    case lost(String)

    static func refused(_ reason: String, hint: String? = nil) -> Outcome {
      .settled(.refused(RemoteFailure(.refused, reason, hint: hint).asAccess))
    }

    init(_ error: AWSError) {
      self = error.mayHaveArrived ? .lost(error.failure.reason) : .settled(SecretWriting.result(error))
    }
  }

  private func set(
    _ name: String, to value: SecretBox, over finding: ParameterStoreAPI.Finding?, _ changes: TargetChanges,
    _ place: ParameterPlace, _ api: ParameterStoreAPI
  ) async -> Outcome {
    guard let finding, let parameter = place.parameter(name) else { return .refused(RemoteMessages.invalidName) }
    guard (1...ParameterStoreAPI.valueLimit).contains(value.count) else {
      return .refused(RemoteMessages.valueSize(least: 1, most: ParameterStoreAPI.valueLimit))
    }
    if let refusal = SecretWriting.refusal(of: value) { return .settled(.refused(refusal.asAccess)) }
    var previous: Int64?
    switch finding {
    case .failed(let failure): return .settled(.refused(failure.asAccess))
    case .missing: break
    case .value(let there):
      guard there.isSecure else { return .refused(AWSMessages.plainParameter, hint: AWSMessages.deleteParameter) }
      previous = there.version
      // Writing an equal value would create a new version.
      if there.value.equals(value), changes.expects(name, finding.mark) { return .settled(.done()) }
    }
    guard changes.expects(name, finding.mark) else { return .settled(.stale) }
    do throws(AWSError) {
      let version = try await api.put(
        parameter, value, isNew: previous == nil, kmsKey: session.context.text("kmsKey"),
        tier: session.context.text("tier"))
      // The service has no guard: only the number shows that nothing else was written in between.
      guard let version, previous == nil || version == (previous ?? 0) + 1 else {
        return .settled(.unknown(AWSMessages.concurrentWrite(version ?? 0)))
      }
      return .settled(.done())
    } catch {
      guard error.code == "ValidationException", value.count > ParameterStoreAPI.standardLimit else {
        return Outcome(error)
      }
      return .refused(AWSMessages.overStandard, hint: AWSMessages.useAdvanced)
    }
  }

  private func remove(
    _ name: String, _ finding: ParameterStoreAPI.Finding?, _ changes: TargetChanges, _ place: ParameterPlace,
    _ api: ParameterStoreAPI
  ) async -> Outcome {
    switch finding {
    case nil, .missing: return .settled(changes.expects(name, nil) ? .done() : .stale)
    case .failed(let failure): return .settled(.refused(failure.asAccess))
    case .value:
      guard changes.expects(name, finding?.mark), let parameter = place.parameter(name) else { return .settled(.stale) }
      do throws(AWSError) {
        try await api.delete(parameter)
        return .settled(.done())
      } catch {
        return error.answer == .missing ? .settled(.done()) : Outcome(error)
      }
    }
  }

  /// Settles lost answers by the current values.
  private func settled(
    _ outcomes: [String: Outcome], _ changes: TargetChanges, _ place: ParameterPlace, _ api: ParameterStoreAPI
  ) async -> [String: WriteResult] {
    var lost: [String] = []
    var results: [String: WriteResult] = [:]
    for (name, outcome) in outcomes {
      switch outcome {
      case .settled(let result): results[name] = result
      case .lost(let reason):
        lost.append(name)
        results[name] = .unknown(reason)
      }
    }
    let values = Dictionary(changes.set.map { ($0.name, $0.value) }) { first, _ in first }
    for (name, finding) in await place.read(lost, api) {
      switch (finding, values[name]) {
      case (.value(let parameter), let value?) where parameter.value.equals(value): results[name] = .done()
      case (.missing, nil): results[name] = .done()
      default: continue
      }
    }
    return results
  }
}
