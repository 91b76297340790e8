/// How a stored picture is turned, after the EXIF specification (JEITA CP-3451, tag 0x0112): the
/// value names what stored row 0 and column 0 are in the upright picture.
struct ExifOrientation: Equatable {
  /// 1…8; 1 is upright.
  private(set) var value: UInt8

  static let upright = ExifOrientation(value: 1)

  init(value: UInt8) { self.value = 1...8 ~= value ? value : 1 }

  /// Looks for the EXIF segment of a JPEG file. Anything odd is upright.
  init(jpeg bytes: [UInt8]) {
    var place = 2
    while place + 4 <= bytes.count, bytes[place] == 0xFF {
      let marker = bytes[place + 1]
      // Fill bytes, and markers without a length.
      if marker == 0xFF || marker == 0x01 || 0xD0...0xD7 ~= marker {
        place += marker == 0xFF ? 1 : 2
        continue
      }
      // The scan or the end: no more segments of interest.
      if marker == 0xDA || marker == 0xD9 { break }
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      let end = place + 2 + length
      guard length >= 2, end <= bytes.count else { break }
      let body = bytes[(place + 4)..<end]
      if marker == 0xE1, body.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) {
        self.init(tiff: body.dropFirst(6))
        return
      }
      place = end
    }
    self = .upright
  }

  /// Reads the tag from the first directory of TIFF data. Anything odd is upright.
  init(tiff: ArraySlice<UInt8>) {
    let bytes = Array(tiff)
    let isLittle: Bool
    switch bytes.prefix(4) {
    case [0x49, 0x49, 0x2A, 0x00]: isLittle = true
    case [0x4D, 0x4D, 0x00, 0x2A]: isLittle = false
    default:
      self = .upright
      return
    }
    func number(at place: Int, bytes count: Int) -> Int? {
      guard place >= 0, place + count <= bytes.count else { return nil }
      return bytes[place..<place + count].enumerated().reduce(0) { sum, byte in
        sum | Int(byte.element) << (8 * (isLittle ? byte.offset : count - 1 - byte.offset))
      }
    }
    self = .upright
    guard let directory = number(at: 4, bytes: 4), let entries = number(at: directory, bytes: 2)
    else { return }
    for entry in 0..<entries {
      let place = directory + 2 + 12 * entry
      guard let tag = number(at: place, bytes: 2) else { return }
      guard tag == 0x0112 else { continue }
      // One value of type SHORT, held in the entry itself.
      guard number(at: place + 2, bytes: 2) == 3, number(at: place + 4, bytes: 4) == 1,
        let value = number(at: place + 8, bytes: 2), 1...8 ~= value
      else { return }
      self = ExifOrientation(value: UInt8(value))
      return
    }
  }
}

extension Picture {
  /// The picture turned upright.
  func turned(by orientation: ExifOrientation) -> Picture {
    let value = orientation.value
    if value == 1 { return self }
    let swaps = value >= 5
    var turned =
      swaps ? Picture(width: height, height: width) : Picture(width: width, height: height)
    for y in 0..<turned.height {
      for x in 0..<turned.width {
        // In the stored picture. 2 and 4 are mirrored, 3 is upside down, 5 to 8 lie on a side.
        let (column, row) = swaps ? (y, x) : (x, y)
        let fromRight = value == 2 || value == 3 || value == 7 || value == 8
        let fromBottom = value == 3 || value == 4 || value == 6 || value == 7
        let source =
          ((fromBottom ? height - 1 - row : row) * width
            + (fromRight ? width - 1 - column : column)) * 3
        let target = (y * turned.width + x) * 3
        for channel in 0..<3 { turned.pixels[target + channel] = pixels[source + channel] }
      }
    }
    return turned
  }
}
