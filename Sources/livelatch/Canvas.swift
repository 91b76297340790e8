import Imaging

struct Color {
  var red: UInt8
  var green: UInt8
  var blue: UInt8

  static let white = Color(red: 255, green: 255, blue: 255)
  static let black = Color(red: 0, green: 0, blue: 0)
  static let green = Color(red: 60, green: 220, blue: 90)
  static let red = Color(red: 240, green: 60, blue: 60)
  static let yellow = Color(red: 250, green: 210, blue: 60)
  static let blue = Color(red: 80, green: 160, blue: 250)
}

/// An RGB picture to draw on. Whatever lies outside is cut off.
struct Canvas {
  let width: Int
  let height: Int
  /// Packed R G B rows.
  var pixels: [UInt8]

  init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(pixels.count == width * height * 3)
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  mutating func set(_ x: Int, _ y: Int, _ color: Color) {
    guard x >= 0, y >= 0, x < width, y < height else { return }
    let place = (y * width + x) * 3
    pixels[place] = color.red
    pixels[place + 1] = color.green
    pixels[place + 2] = color.blue
  }

  mutating func fill(x: Int, y: Int, width: Int, height: Int, _ color: Color) {
    for row in max(0, y)..<max(0, y, min(self.height, y + height)) {
      for column in max(0, x)..<max(0, x, min(self.width, x + width)) { set(column, row, color) }
    }
  }

  /// A line of `thickness` pixels.
  mutating func line(from a: Point, to b: Point, _ color: Color, thickness: Int = 2) {
    // Places far outside would only cost time; the line is cut off there anyway.
    let limit = Float(4 * max(width, height))
    guard [a.x, a.y, b.x, b.y].allSatisfy({ $0.isFinite && abs($0) < limit }) else { return }
    let steps = max(1, Int(max(abs(b.x - a.x), abs(b.y - a.y)).rounded(.up)))
    for step in 0...steps {
      let place = a + (b - a) * (Float(step) / Float(steps))
      let x = Int(place.x.rounded()) - thickness / 2
      let y = Int(place.y.rounded()) - thickness / 2
      fill(x: x, y: y, width: thickness, height: thickness, color)
    }
  }

  mutating func polygon(_ corners: [Point], _ color: Color, thickness: Int = 2) {
    for (index, corner) in corners.enumerated() {
      line(from: corner, to: corners[(index + 1) % corners.count], color, thickness: thickness)
    }
  }

  mutating func dot(_ center: Point, radius: Int, _ color: Color) {
    guard center.x.isFinite, center.y.isFinite, abs(center.x) < 1e6, abs(center.y) < 1e6 else {
      return
    }
    for dy in -radius...radius {
      for dx in -radius...radius where dx * dx + dy * dy <= radius * radius {
        set(Int(center.x.rounded()) + dx, Int(center.y.rounded()) + dy, color)
      }
    }
  }

  /// Text on a dark ground, its top left at `x`, `y`; `size` is the side of one of its pixels.
  mutating func text(_ text: String, x: Int, y: Int, _ color: Color = .white, size: Int = 2) {
    let advance = (BitmapFont.width + 1) * size
    fill(
      x: x - size, y: y - size, width: text.count * advance + size,
      height: (BitmapFont.height + 2) * size, .black)
    for (index, character) in text.enumerated() {
      for (row, bits) in BitmapFont.rows(of: character).enumerated() {
        for column in 0..<BitmapFont.width where bits >> (4 - column) & 1 == 1 {
          fill(
            x: x + index * advance + column * size, y: y + row * size, width: size, height: size,
            color)
        }
      }
    }
  }
}
