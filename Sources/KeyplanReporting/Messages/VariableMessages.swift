package import KeyplanModel

extension VariableName.Risk {
  /// The effect of such a variable, as the rest of a sentence about it.
  package var words: String {
    switch self {
    case .programs: "affects what programs load, run or trust"
    case .addresses: "decides where programs send credentials"
    }
  }
}
