import Imaging

/// How the picture of a plane moves when the plane or the camera does: x' = H x in homogeneous
/// coordinates, the last cell 1.
struct Homography {
  /// h11 h12 h13 h21 h22 h23 h31 h32.
  private(set) var cells = InlineArray<8, Double>(repeating: 0)

  func callAsFunction(_ p: Point) -> Point {
    let (x, y) = (Double(p.x), Double(p.y))
    let w = cells[6] * x + cells[7] * y + 1
    return Point(
      x: Float((cells[0] * x + cells[1] * y + cells[2]) / w),
      y: Float((cells[3] * x + cells[4] * y + cells[5]) / w))
  }

  /// The one that brings `source` nearest to `target`, by least squares of the equations without
  /// denominators. Places should be of the order of 1 round 0, so that the denominators are near 1
  /// and the equations well conditioned. nil when the places do not determine it.
  init?<let count: Int>(
    from source: borrowing InlineArray<count, Point>, to target: borrowing InlineArray<count, Point>
  ) {
    // Normal equations, 8 rows of 8 and the right side.
    var system = InlineArray<72, Double>(repeating: 0)
    for i in 0..<count {
      let (x, y) = (Double(source[i].x), Double(source[i].y))
      let (u, v) = (Double(target[i].x), Double(target[i].y))
      let first: InlineArray<9, Double> = [x, y, 1, 0, 0, 0, -u * x, -u * y, u]
      let second: InlineArray<9, Double> = [0, 0, 0, x, y, 1, -v * x, -v * y, v]
      for row in 0..<8 {
        for column in 0..<9 {
          system[9 * row + column] += first[row] * first[column] + second[row] * second[column]
        }
      }
    }
    guard Self.solve(&system) else { return nil }
    for row in 0..<8 { cells[row] = system[9 * row + 8] }
  }

  /// Gauss's elimination with row pivots; the solution is left in the last column.
  private static func solve(_ system: inout InlineArray<72, Double>) -> Bool {
    for column in 0..<8 {
      var pivot = column
      for row in column + 1..<8 {
        if abs(system[9 * row + column]) > abs(system[9 * pivot + column]) { pivot = row }
      }
      // False for a pivot that is not a number, too.
      guard abs(system[9 * pivot + column]) > 1e-9 else { return false }
      for cell in 0..<9 where pivot != column {
        let kept = system[9 * column + cell]
        system[9 * column + cell] = system[9 * pivot + cell]
        system[9 * pivot + cell] = kept
      }
      for row in 0..<8 where row != column {
        let factor = system[9 * row + column] / system[9 * column + column]
        for cell in column..<9 { system[9 * row + cell] -= factor * system[9 * column + cell] }
      }
    }
    for row in 0..<8 { system[9 * row + 8] /= system[9 * row + row] }
    return true
  }
}
