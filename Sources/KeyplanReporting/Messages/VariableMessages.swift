package import KeyplanModel

extension VariableName.Risk {
  /// What such a variable does, as the rest of a sentence about it.
  package var words: String {
    switch self {
    case .programs: "affects what programs load, run or trust"
    case .addresses: "decides where programs send credentials"
    }
  }
}
