/// Three numbers in camera or face axes. Double, because three fits in a row feed each other.
struct Vector3: Equatable {
  var x: Double
  var y: Double
  var z: Double

  init(_ x: Double, _ y: Double, _ z: Double) {
    self.x = x
    self.y = y
    self.z = z
  }

  static let zero = Vector3(0, 0, 0)

  static func + (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x + b.x, a.y + b.y, a.z + b.z) }
  static func - (a: Vector3, b: Vector3) -> Vector3 { Vector3(a.x - b.x, a.y - b.y, a.z - b.z) }
  static func * (a: Vector3, b: Double) -> Vector3 { Vector3(a.x * b, a.y * b, a.z * b) }

  func dot(_ other: Vector3) -> Double { x * other.x + y * other.y + z * other.z }
}

/// A 3x3 matrix by rows.
struct Matrix3: Equatable {
  var row0: Vector3
  var row1: Vector3
  var row2: Vector3

  init(_ row0: Vector3, _ row1: Vector3, _ row2: Vector3) {
    self.row0 = row0
    self.row1 = row1
    self.row2 = row2
  }

  static let zero = Matrix3(.zero, .zero, .zero)

  static func * (a: Matrix3, v: Vector3) -> Vector3 {
    Vector3(a.row0.dot(v), a.row1.dot(v), a.row2.dot(v))
  }

  static func * (a: Matrix3, b: Matrix3) -> Matrix3 {
    let columns = b.transposed
    return Matrix3(columns * a.row0, columns * a.row1, columns * a.row2)
  }

  var transposed: Matrix3 {
    Matrix3(
      Vector3(row0.x, row1.x, row2.x), Vector3(row0.y, row1.y, row2.y),
      Vector3(row0.z, row1.z, row2.z))
  }

  /// Adds `a` times the transpose of `b`, scaled.
  mutating func addOuter(_ a: Vector3, _ b: Vector3, scale: Double) {
    row0 = row0 + b * (a.x * scale)
    row1 = row1 + b * (a.y * scale)
    row2 = row2 + b * (a.z * scale)
  }
}
