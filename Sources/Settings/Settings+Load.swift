import CPlatform
import Platform

extension Settings {
  /// Reads a file. Costs about a millisecond and, while it runs, memory from the heap.
  /// - Parameter report: says all that is wrong with the file, and is emptied first.
  /// - Returns: nil when anything is wrong.
  public static func load(
    _ path: UnsafePointer<CChar>, report: inout SettingsReport
  ) -> Settings? {
    var whole = FixedString<1024>()
    whole.append(cString: path)
    report.begin(name(of: whole.bytes))
    do {
      return try parse(Contents(of: path), folder: folder(of: whole.bytes), report: &report)
    } catch {
      var text = FixedString<256>("cannot be read: ")
      error.describe(into: &text)
      report.add(.unreadable, text)
      return nil
    }
  }

  /// Reads a text, as ``load(_:report:)`` does.
  /// - Parameter file: the name in messages.
  public static func parse(
    _ text: Span<UInt8>, file: FixedString<128>, report: inout SettingsReport
  ) -> Settings? {
    report.begin(file)
    var settings = Settings()
    settings.fingerprint = fingerprint(text)
    withUnsafeMutablePointer(to: &report) { report in
      var reader = SettingsReader(text, report: report)
      settings.read(&reader)
      reader.finish()
    }
    return report.isEmpty ? settings : nil
  }

  private static func parse(
    _ contents: borrowing Contents, folder: FixedString<192>, report: inout SettingsReport
  ) -> Settings? {
    guard contents.count <= mostBytes else {
      var text = FixedString<256>("the file is too large; allowed: ")
      text.append(mostBytes)
      text.append(" bytes")
      report.add(.tooLarge, text)
      return nil
    }
    guard var settings = parse(contents.text, file: report.file, report: &report) else {
      return nil
    }
    if settings.models[0] != UInt8(ascii: "/") {
      var models = folder
      models.append(settings.models)
      guard !models.isTruncated else {
        report.add(.notAllowed, FixedString("models.folder is too long a path from here"))
        return nil
      }
      settings.models = models
    }
    return settings
  }

  /// A file's bytes, one more than ``mostBytes`` at most.
  private struct Contents: ~Copyable {
    let memory: MemoryMap
    let count: Int

    init(of path: UnsafePointer<CChar>) throws(Errno) {
      let memory = try MemoryMap(byteCount: mostBytes + 1)
      count = try FileDescriptor.open(path, flags: O_RDONLY).readFully(into: memory.bytes)
      self.memory = memory
    }

    var text: Span<UInt8> {
      @_lifetime(borrow self)
      get {
        let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(memory.bytes)[..<count])
        return _overrideLifetime(bytes.bindMemory(to: UInt8.self).span, borrowing: self)
      }
    }
  }

  /// The path as it was given, so that nobody has to ask which file was read; of one that is too
  /// long its last part.
  private static func name(of path: Span<UInt8>) -> FixedString<128> {
    var name = FixedString<128>()
    name.append(path)
    if name.isTruncated {
      name.removeAll()
      name.append(path.extracting(lastPart(of: path)..<path.count))
    }
    return name
  }

  /// A path's folder, slash included; empty: none.
  private static func folder(of path: Span<UInt8>) -> FixedString<192> {
    var folder = FixedString<192>()
    folder.append(path.extracting(first: lastPart(of: path)))
    return folder
  }

  /// Where the part behind the last slash begins.
  private static func lastPart(of path: Span<UInt8>) -> Int {
    var start = path.count
    while start > 0 && path[start - 1] != UInt8(ascii: "/") { start -= 1 }
    return start
  }

  /// FNV-1a (Fowler, Noll, Vo), 64 bits.
  private static func fingerprint(_ text: Span<UInt8>) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for index in text.indices { hash = (hash ^ UInt64(text[index])) &* 0x100_0000_01B3 }
    return hash
  }
}
