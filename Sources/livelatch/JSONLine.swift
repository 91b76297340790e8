/// One JSON object on one line, keys in the order they are added.
struct JSONLine {
  private var parts: [String] = []

  mutating func add(_ key: String, _ value: String?) {
    parts.append("\(Self.quoted(key)):\(value.map(Self.quoted) ?? "null")")
  }

  mutating func add(_ key: String, _ value: Int?) {
    parts.append("\(Self.quoted(key)):\(value.map(String.init) ?? "null")")
  }

  mutating func add(_ key: String, _ value: Bool) {
    parts.append("\(Self.quoted(key)):\(value)")
  }

  /// Rounded to three decimals; null where absent or not finite.
  mutating func add(_ key: String, _ value: Float?) {
    parts.append("\(Self.quoted(key)):\(Self.number(value))")
  }

  mutating func add(_ key: String, _ values: [Float]) {
    let list = values.map { Self.number($0) }.joined(separator: ",")
    parts.append("\(Self.quoted(key)):[\(list)]")
  }

  mutating func add(_ key: String, _ object: JSONLine) {
    parts.append("\(Self.quoted(key)):\(object.text)")
  }

  mutating func add(_ key: String, _ objects: [JSONLine]) {
    let list = objects.map(\.text).joined(separator: ",")
    parts.append("\(Self.quoted(key)):[\(list)]")
  }

  var text: String { "{\(parts.joined(separator: ","))}" }

  private static func number(_ value: Float?) -> String {
    guard let value, value.isFinite, abs(value) < 1e12 else { return "null" }
    let thousandths = Int((Double(value) * 1000).rounded())
    let sign = thousandths < 0 ? "-" : ""
    let whole = thousandths.magnitude / 1000
    let rest = String(thousandths.magnitude % 1000)
    let decimals = String(repeating: "0", count: 3 - rest.count) + rest
    return "\(sign)\(whole).\(decimals)"
  }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20:
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
