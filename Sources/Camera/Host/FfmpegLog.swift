import Platform

/// What ffmpeg writes to its standard error while it decodes: errors, and, by its `showinfo`
/// filter, the time of every frame. Y4M itself carries no times, and phones record at uneven rates.
struct FfmpegLog: ~Copyable {
  let file: FileDescriptor
  private var offset = 0
  private var line: [UInt8] = []
  /// Times of the frames seen so far, in nanoseconds of the clip; nil where ffmpeg knew none.
  private(set) var times: [Int64?] = []
  /// What the first error line said: those after it are mostly what came of it.
  private(set) var firstError: String?

  init() throws(Errno) { file = try .temporaryFile() }

  /// Reads what came since the last time.
  mutating func update() {
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = chunk.withUnsafeMutableBytes { (try? file.read(into: $0, at: offset)) ?? 0 }
      guard count > 0 else { return }
      offset += count
      for byte in chunk[..<count] {
        if byte == UInt8(ascii: "\n") {
          take(String(decoding: line, as: UTF8.self))
          line.removeAll(keepingCapacity: true)
        } else {
          line.append(byte)
        }
      }
    }
  }

  /// Lines look like `[part @ 0x…] [info] n:   0 pts:      0 pts_time:0  …` or `[error] words`.
  private mutating func take(_ line: String) {
    for level in ["[error] ", "[fatal] ", "[panic] "] where firstError == nil {
      if let place = line.range(of: level) { firstError = String(line[place.upperBound...]) }
    }
    guard line.hasPrefix("[Parsed_showinfo"), line.range(of: "] n:") != nil else { return }
    guard let place = line.range(of: "pts_time:") else { return }
    let number = line[place.upperBound...].prefix { $0 != " " }
    guard let seconds = Double(number), abs(seconds) < 1e9 else {
      times.append(nil)
      return
    }
    times.append(Int64((seconds * 1e9).rounded()))
  }
}

extension StringProtocol {
  /// The first place of `text`. (The standard library's own search needs Foundation.)
  func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
