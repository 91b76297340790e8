import FrameRing

/// The first line of a YUV4MPEG2 clip: words that begin with a letter, between single spaces.
struct Y4MHeader {
  enum Colour { case planar, grey }

  var width = 0
  var height = 0
  var rateNumerator = 0
  var rateDenominator = 0
  var colour = Colour.planar
  var range = ColorRange.limited

  /// - Parameter line: without its end.
  init(_ line: Span<UInt8>) throws(CameraFault) {
    var start = 0
    var isFirst = true
    while start <= line.count {
      var end = start
      while end < line.count && line[end] != UInt8(ascii: " ") { end += 1 }
      let word = line.extracting(start..<end)
      if isFirst {
        guard Self.equals(word, "YUV4MPEG2") else { throw .malformed("it is no YUV4MPEG2 clip") }
        isFirst = false
      } else if !word.isEmpty {
        try take(word)
      }
      start = end + 1
    }
  }

  static func startsFrame(_ line: Span<UInt8>) -> Bool {
    let name = 5
    guard line.count >= name, equals(line.extracting(first: name), "FRAME") else { return false }
    return line.count == name || line[name] == UInt8(ascii: " ")
  }

  private mutating func take(_ word: Span<UInt8>) throws(CameraFault) {
    let value = word.extracting(droppingFirst: 1)
    switch word[0] {
    case UInt8(ascii: "W"): width = Self.number(value) ?? 0
    case UInt8(ascii: "H"): height = Self.number(value) ?? 0
    case UInt8(ascii: "F"):
      guard let colon = Self.colon(value) else { throw .malformed("the frame rate has no colon") }
      rateNumerator = Self.number(value.extracting(first: colon)) ?? 0
      rateDenominator = Self.number(value.extracting(droppingFirst: colon + 1)) ?? 0
    case UInt8(ascii: "C"):
      if Self.equals(value, "420") || Self.equals(value, "420jpeg")
        || Self.equals(value, "420mpeg2") || Self.equals(value, "420paldv")
      {
        colour = .planar
      } else if Self.equals(value, "mono") {
        colour = .grey
      } else {
        throw .unsupported("a colour space other than 420, 420jpeg, 420mpeg2, 420paldv, mono")
      }
    case UInt8(ascii: "X"):
      if Self.equals(value, "COLORRANGE=FULL") { range = .full }
      if Self.equals(value, "COLORRANGE=LIMITED") { range = .limited }
    // Interlacing, pixel aspect and anything newer change nothing here.
    default: break
    }
  }

  func format() throws(CameraFault) -> FrameFormat {
    guard 1...Y4MReader.largestSide ~= width, 1...Y4MReader.largestSide ~= height else {
      throw .size(width: width, height: height)
    }
    return FrameFormat(
      pixelFormat: colour == .grey ? .grey : .i420, width: width, height: height,
      colorRange: range)
  }

  func rate() throws(CameraFault) -> FrameRate {
    guard rateNumerator > 0, rateDenominator > 0,
      Y4MReader.rates ~= rateNumerator / rateDenominator,
      rateNumerator <= Y4MReader.rates.upperBound * rateDenominator
    else { throw .malformed("the frame rate is missing or not in 1 to 1000 a second") }
    return FrameRate(rateNumerator, rateDenominator)
  }

  /// A decimal number of at most nine digits; nil for anything else.
  static func number(_ text: Span<UInt8>) -> Int? {
    guard 1...9 ~= text.count else { return nil }
    var value = 0
    for index in 0..<text.count {
      let digit = Int(text[index]) - 48
      guard 0...9 ~= digit else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  static func colon(_ text: Span<UInt8>) -> Int? {
    for index in 0..<text.count where text[index] == UInt8(ascii: ":") { return index }
    return nil
  }

  static func equals(_ text: Span<UInt8>, _ other: StaticString) -> Bool {
    other.withUTF8Buffer { other in
      guard text.count == other.count else { return false }
      for index in 0..<text.count where text[index] != other[index] { return false }
      return true
    }
  }
}
