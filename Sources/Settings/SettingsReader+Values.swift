import Board
import CToml
import Liveness
import Platform

extension SettingsReader {
  mutating func bool(_ key: StaticString, default standard: Bool) -> Bool {
    guard let value = member(key)?.value else { return standard }
    guard value.type == CTOML_BOOLEAN else {
      addWrongType(key, value, wanted: "true or false")
      return standard
    }
    return ctoml_boolean(value) == 1
  }

  mutating func int(
    _ key: StaticString, default standard: Int, in allowed: ClosedRange<Int>
  ) -> Int {
    guard let value = member(key)?.value else { return standard }
    guard value.type == CTOML_INTEGER else {
      addWrongType(key, value, wanted: "a whole number")
      return standard
    }
    let number = Int(ctoml_integer(value))
    if allowed ~= number { return number }
    refuse(key, value, .outOfRange, " is out of range: ") {
      $0.append(allowed.lowerBound)
      $0.append(" to ")
      $0.append(allowed.upperBound)
    }
    return standard
  }

  /// A fraction; a whole number is one too.
  mutating func float(
    _ key: StaticString, default standard: Float, in allowed: ClosedRange<Float>
  ) -> Float {
    guard let value = member(key)?.value else { return standard }
    let number: Float
    switch value.type {
    case CTOML_FLOAT: number = Float(ctoml_float(value))
    case CTOML_INTEGER: number = Float(ctoml_integer(value))
    default:
      addWrongType(key, value, wanted: "a number")
      return standard
    }
    if allowed ~= number { return number }
    refuse(key, value, .outOfRange, " is out of range: ") {
      $0.append(shortest: allowed.lowerBound)
      $0.append(" to ")
      $0.append(shortest: allowed.upperBound)
    }
    return standard
  }

  mutating func milliseconds(
    _ key: StaticString, default standard: Duration, in allowed: ClosedRange<Int>
  ) -> Duration {
    .milliseconds(int(key, default: Int(standard.wholeMilliseconds), in: allowed))
  }

  mutating func seconds(
    _ key: StaticString, default standard: Duration, in allowed: ClosedRange<Int>
  ) -> Duration {
    .seconds(int(key, default: Int(standard.wholeMilliseconds / 1000), in: allowed))
  }

  /// A text without control characters that fits its place.
  mutating func text<let capacity: Int>(
    _ key: StaticString, default standard: FixedString<capacity>, mayBeEmpty: Bool = false
  ) -> FixedString<capacity> {
    guard let value = member(key)?.value else { return standard }
    guard value.type == CTOML_STRING else {
      addWrongType(key, value, wanted: "a text in quotation marks")
      return standard
    }
    var text = FixedString<capacity>()
    let hasControl = ctoml_string(value).withSpan { bytes in
      text.append(bytes)
      for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F { return true }
      return false
    }
    var message = named(key, value)
    if text.isTruncated {
      message.append(" is too long; allowed: ")
      message.append(capacity)
      message.append(" bytes")
    } else if hasControl {
      message.append(" has a control character in it")
    } else if text.isEmpty && !mayBeEmpty {
      message.append(" is empty")
    } else {
      return text
    }
    add(.notAllowed, at: value.place, message)
    return standard
  }

  /// One of a few texts.
  mutating func choice<Value, let count: Int>(
    _ key: StaticString, default standard: Value, _ values: InlineArray<count, Value>,
    name: (Value) -> StaticString
  ) -> Value {
    guard let value = member(key)?.value else { return standard }
    guard value.type == CTOML_STRING else {
      addWrongType(key, value, wanted: "a text in quotation marks")
      return standard
    }
    for index in 0..<count where ctoml_string(value).withSpan({ name(values[index]).equals($0) }) {
      return values[index]
    }
    refuse(key, value, .notAllowed, " is not allowed; allowed: ") {
      for index in 0..<count {
        if index > 0 { $0.append(", ") }
        $0.append(name(values[index]))
      }
    }
    return standard
  }

  /// One of a few numbers.
  mutating func choice<let count: Int>(
    _ key: StaticString, default standard: Int, _ values: InlineArray<count, Int>
  ) -> Int {
    guard let value = member(key)?.value else { return standard }
    guard value.type == CTOML_INTEGER else {
      addWrongType(key, value, wanted: "a whole number")
      return standard
    }
    let number = Int(ctoml_integer(value))
    for index in 0..<count where values[index] == number { return number }
    refuse(key, value, .notAllowed, " is not allowed; allowed: ") {
      for index in 0..<count {
        if index > 0 { $0.append(", ") }
        $0.append(values[index])
      }
    }
    return standard
  }

  /// What a camera's control is to be: a whole number, true or false, or the text `camera` for nil,
  /// the camera's own value.
  mutating func controlValue(_ key: StaticString) -> Int32? {
    guard let value = member(key)?.value else { return nil }
    switch value.type {
    case CTOML_INTEGER:
      if let number = Int32(exactly: ctoml_integer(value)) { return number }
      refuse(key, value, .outOfRange, " is out of range: ") {
        $0.append(Int64(Int32.min))
        $0.append(" to ")
        $0.append(Int64(Int32.max))
      }
    case CTOML_BOOLEAN: return ctoml_boolean(value)
    case CTOML_STRING where ctoml_string(value).withSpan({ ("camera" as StaticString).equals($0) }):
      return nil
    default: addWrongType(key, value, wanted: "a whole number, true or false, or \"camera\"")
    }
    return nil
  }

  /// Whether a level is on: the texts `off` and `on`.
  mutating func level(_ key: StaticString, default standard: Bool) -> Bool {
    choice(key, default: standard, [false, true]) { $0 ? "on" : "off" }
  }

  /// A line of the GPIO chip: its number, its name, or `none`.
  mutating func place(_ key: StaticString, default standard: LinePlace) -> LinePlace {
    guard let value = member(key)?.value else { return standard }
    switch value.type {
    case CTOML_INTEGER:
      let number = ctoml_integer(value)
      if 0...1023 ~= number { return .offset(UInt32(number)) }
      refuse(key, value, .outOfRange, " is out of range: ") { $0.append("0 to 1023") }
    case CTOML_STRING:
      var name = FixedString<32>()
      ctoml_string(value).withSpan { name.append($0) }
      if name == "none" { return .unused }
      if 1...31 ~= name.count && !name.isTruncated { return .name(name) }
      refuse(key, value, .notAllowed, " is no line's name: ") {
        $0.append("those have 1 to 31 bytes")
      }
    default:
      addWrongType(key, value, wanted: "a line's number, its name in quotation marks, or \"none\"")
    }
    return standard
  }

  /// Challenges, as a list of texts or as one text with commas.
  mutating func challenges(
    _ key: StaticString, default standard: ChallengeList
  ) -> ChallengeList {
    guard let value = member(key)?.value else { return standard }
    var list = ChallengeList()
    var isGood = true
    switch value.type {
    case CTOML_ARRAY:
      for index in 0..<ctoml_count(value) {
        let element = ctoml_element(value, index)
        guard element.type == CTOML_STRING else {
          addWrongType(key, element, wanted: "a list of texts in quotation marks")
          return standard
        }
        ctoml_string(element).withSpan {
          if !append($0, to: &list, key, element) { isGood = false }
        }
      }
    case CTOML_STRING:
      ctoml_string(value).withSpan { names in
        var start = 0
        while start <= names.count {
          var end = start
          while end < names.count && names[end] != UInt8(ascii: ",") { end += 1 }
          let name = names.extracting(start..<end).trimmed
          // Commas at the end, or a text of nothing, name nothing.
          if !(name.isEmpty && end == names.count), !append(name, to: &list, key, value) {
            isGood = false
          }
          start = end + 1
        }
      }
    default:
      addWrongType(key, value, wanted: "a list of texts, or one text with commas")
      return standard
    }
    return isGood ? list : standard
  }

  /// Reports a value, why it is refused, and what `allowed` says would do.
  private mutating func refuse(
    _ key: StaticString, _ value: ctoml_node, _ problem: SettingsError.Problem,
    _ why: StaticString, _ allowed: (inout FixedString<256>) -> Void
  ) {
    var text = named(key, value)
    text.append(why)
    allowed(&text)
    add(problem, at: value.place, text)
  }

  /// False, and an error, where `name` is no challenge or one too many.
  private mutating func append(
    _ name: Span<UInt8>, to list: inout ChallengeList, _ key: StaticString, _ value: ctoml_node
  ) -> Bool {
    var text = named(key, value)
    var code: UInt8 = 0
    while let challenge = Challenge(rawValue: code) {
      if challenge.name.equals(name) {
        if list.append(challenge) { return true }
        text.append(" is one too many; allowed: ")
        text.append(ChallengeList.capacity)
        add(.notAllowed, at: value.place, text)
        return false
      }
      code += 1
    }
    text.append(": ")
    var short = FixedString<32>()
    short.append(name)
    text.append(printable: short.bytes)
    text.append(" is no challenge; allowed:")
    code = 0
    while let challenge = Challenge(rawValue: code) {
      text.append(code == 0 ? " " : ", ")
      text.append(challenge.name)
      code += 1
    }
    add(.notAllowed, at: value.place, text)
    return false
  }
}

extension Span where Element == UInt8 {
  /// Without blanks at either end.
  fileprivate var trimmed: Span<UInt8> {
    @_lifetime(copy self)
    get {
      var start = 0
      var end = count
      while start < end && self[start] == UInt8(ascii: " ") { start += 1 }
      while end > start && self[end - 1] == UInt8(ascii: " ") { end -= 1 }
      return extracting(start..<end)
    }
  }
}
