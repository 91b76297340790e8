import CToml
import Platform

/// Reads a document section by section. Every getter bounds its value where it is read and answers
/// the default where the key is absent or wrong; what is wrong goes into ``report``, all of it.
/// ``finish()`` reports what nobody asked for.
///
/// Lists and report are kilobytes that must not be copied: see ``SettingsReport``.
struct SettingsReader: ~Copyable {
  /// Nil when the text is not TOML: then only defaults are read.
  private let document: OpaquePointer?
  private let report: UnsafeMutablePointer<SettingsReport>
  private(set) var keys = KeyList()
  private var section: StaticString = ""
  private var table: ctoml_node?

  /// - Parameter report: outlives the reader.
  init(_ text: Span<UInt8>, report: UnsafeMutablePointer<SettingsReport>) {
    self.report = report
    document = Self.parse(text, &report.pointee)
  }

  deinit { if let document { ctoml_free(document) } }

  /// The getters that follow read from the table of that name, dots included.
  mutating func section(_ name: StaticString) {
    section = name
    table = nil
    guard let document else { return }
    var node = ctoml_root(document)
    let isThere = name.withUTF8Buffer { path in
      var start = 0
      while start <= path.count {
        var end = start
        while end < path.count && path[end] != UInt8(ascii: ".") { end += 1 }
        var member = ctoml_member()
        let found = path[start..<end].withMemoryRebound(to: CChar.self) {
          ctoml_find(node, $0.baseAddress, $0.count, &member)
        }
        if found == 0 { return false }
        node = member.value
        start = end + 1
      }
      return true
    }
    guard isThere else { return }
    if node.type == CTOML_TABLE {
      table = node
    } else {
      var text = FixedString<256>(name)
      text.append(" is ")
      text.append(node.kind)
      text.append("; it must be a section: [")
      text.append(name)
      text.append("]")
      add(.wrongType, at: node.place, text)
    }
  }

  /// The member of the current section, and a note that somebody reads it.
  mutating func member(_ key: StaticString) -> ctoml_member? {
    keys.append(section: section, key: key)
    return find(key)
  }

  private func find(_ key: StaticString) -> ctoml_member? {
    guard let table else { return nil }
    var member = ctoml_member()
    return ctoml_find(table, key.cString, key.utf8CodeUnitCount, &member) == 1 ? member : nil
  }

  /// Reports keys and sections that nobody asked for.
  mutating func finish() {
    guard let document else { return }
    checkMembers(of: ctoml_root(document), path: FixedString())
  }

  /// Goes only into tables that are sections or hold some, so no deeper than those.
  private mutating func checkMembers(of table: ctoml_node, path: FixedString<64>) {
    var member = ctoml_member()
    var after = ctoml_text()
    while ctoml_next(table, after, &member) == 1 {
      after = member.key
      let key = member.key
      key.withSpan { key in
        var inner = path
        if !path.isEmpty { inner.append(byte: UInt8(ascii: ".")) }
        inner.append(key)
        if inner.isTruncated || key.contains(UInt8(ascii: ".")) {
          // A quoted key with a dot in it is nobody's, though its path may look like somebody's.
          addUnknown(member, path: path, key: key)
        } else if keys.contains(section: path.bytes, key: key) {
          // Its getter judged it.
        } else if keys.containsSection(inner.bytes) || keys.containsSection(inside: inner.bytes) {
          if member.value.type == CTOML_TABLE {
            checkMembers(of: member.value, path: inner)
          } else if !keys.containsSection(inner.bytes) {
            var text = FixedString<256>()
            text.append(inner)
            text.append(" is ")
            text.append(member.value.kind)
            text.append("; it holds sections only")
            add(.wrongType, at: member.value.place, text)
          }
        } else {
          addUnknown(member, path: path, key: key)
        }
      }
    }
  }

  private mutating func addUnknown(
    _ member: ctoml_member, path: FixedString<64>, key: Span<UInt8>
  ) {
    var text = FixedString<256>()
    let isSection = member.value.type == CTOML_TABLE
    var inner = path
    if !path.isEmpty { inner.append(byte: UInt8(ascii: ".")) }
    inner.append(key)
    if isSection { text.append("[") }
    text.append(printable: inner.bytes)
    if inner.isTruncated { text.append("…") }
    text.append(isSection ? "] is no section" : " is no setting")
    if isSection, let nearest = keys.nearestSection(inner.bytes) {
      text.append("; is [")
      text.append(nearest)
      text.append("] meant?")
    } else if !isSection, let nearest = keys.nearest(section: path.bytes, key: key) {
      text.append("; is ")
      text.append(nearest.section)
      text.append(".")
      text.append(nearest.key)
      text.append(" meant?")
    }
    add(.unknownKey, at: member.key_place, text)
  }

  // MARK: What is wrong

  mutating func add(
    _ problem: SettingsError.Problem, at place: ctoml_place, _ text: FixedString<256>
  ) {
    report.pointee.add(problem, line: place.line, column: place.column, text)
  }

  /// A value that no getter could judge alone; told at the key's place, or its section's where the
  /// key is absent. `section` must be the current one.
  mutating func impossible(
    _ key: StaticString, _ text: StaticString, _ more: StaticString = "",
    problem: SettingsError.Problem = .impossible
  ) {
    let place = find(key)?.value.place ?? table?.place ?? ctoml_place(line: 0, column: 0)
    var whole = FixedString<256>(section)
    whole.append(".")
    whole.append(key)
    whole.append(" ")
    whole.append(text)
    whole.append(more)
    add(problem, at: place, whole)
  }

  /// `section.key = value`, to begin a message with.
  func named(_ key: StaticString, _ value: ctoml_node) -> FixedString<256> {
    var text = FixedString<256>(section)
    text.append(".")
    text.append(key)
    text.append(" = ")
    text.append(value)
    return text
  }

  mutating func addWrongType(_ key: StaticString, _ value: ctoml_node, wanted: StaticString) {
    var text = named(key, value)
    text.append(" is ")
    text.append(value.kind)
    text.append("; it must be ")
    text.append(wanted)
    add(.wrongType, at: value.place, text)
  }

  // MARK: From bytes to a document

  private static func parse(_ text: Span<UInt8>, _ report: inout SettingsReport) -> OpaquePointer? {
    let first = text.count > 0 ? text[0] : 0
    let second = text.count > 1 ? text[1] : 0
    if (first == 0xFF && second == 0xFE) || (first == 0xFE && second == 0xFF) {
      report.add(.encoding, FixedString("the text is UTF-16; save it as UTF-8"))
      return nil
    }
    for index in text.indices where text[index] == 0 {
      report.add(.encoding, FixedString("there is a zero byte in it: this is no text file"))
      return nil
    }
    var error = ctoml_error()
    let document = text.withUnsafeBytes {
      ctoml_parse($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, &error)
    }
    if let document { return document }
    var message = FixedString<256>()
    withUnsafeBytes(of: error.message) { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self).span
      var count = 0
      while count < bytes.count && bytes[count] != 0 { count += 1 }
      message.append(printable: bytes.extracting(first: count))
    }
    report.add(.syntax, line: error.place.line, column: error.place.column, message)
    return nil
  }
}

extension ctoml_text {
  func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    body(UnsafeRawBufferPointer(start: bytes, count: count).bindMemory(to: UInt8.self).span)
  }
}

extension Span where Element == UInt8 {
  func contains(_ byte: UInt8) -> Bool {
    for index in indices where self[index] == byte { return true }
    return false
  }
}

extension ctoml_node {
  /// What it is, for messages.
  var kind: StaticString {
    switch type {
    case CTOML_TABLE: "a section"
    case CTOML_ARRAY: "a list"
    case CTOML_STRING: "a text"
    case CTOML_INTEGER: "a whole number"
    case CTOML_FLOAT: "a fraction"
    case CTOML_BOOLEAN: "true or false"
    default: "a date or time"
    }
  }
}

extension FixedString {
  /// Appends text that may hold control characters, which become `?`.
  mutating func append(printable text: Span<UInt8>) {
    var start = 0
    for index in text.indices where text[index] < 0x20 || text[index] == 0x7F {
      append(text.extracting(start..<index))
      append(byte: UInt8(ascii: "?"))
      start = index + 1
    }
    append(text.extracting(start..<text.count))
  }

  /// Appends a value as the file has it; a long text is cut.
  mutating func append(_ value: ctoml_node) {
    switch value.type {
    case CTOML_INTEGER: append(ctoml_integer(value))
    case CTOML_FLOAT: append(shortest: Float(ctoml_float(value)))
    case CTOML_BOOLEAN: append(ctoml_boolean(value) == 1 ? "true" : "false")
    case CTOML_STRING:
      append("\"")
      ctoml_string(value).withSpan { text in
        var short = FixedString<40>()
        short.append(text)
        append(printable: short.bytes)
        if short.isTruncated { append("…") }
      }
      append("\"")
    case CTOML_ARRAY: append("[…]")
    case CTOML_TABLE: append("{…}")
    default: append("…")
    }
  }

  /// Appends a fraction with as many decimals as it needs, at most 4.
  mutating func append(shortest value: Float) {
    var digits = FixedString<24>()
    digits.append(value, decimals: 4)
    var count = digits.count
    if value.isFinite {
      while count > 0 && digits[count - 1] == UInt8(ascii: "0") { count -= 1 }
      if count > 0 && digits[count - 1] == UInt8(ascii: ".") { count -= 1 }
    }
    append(digits.bytes.extracting(first: count))
  }
}
