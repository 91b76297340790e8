/// Scale, then rotation, then shift: `target = rotation * source * scale + shift`.
struct Similarity: Equatable {
  var rotation: Matrix3
  var scale: Double
  var shift: Vector3

  func callAsFunction(_ v: Vector3) -> Vector3 { rotation * v * scale + shift }

  /// Below it there is no face but rounding errors: it would be ten kilometres away.
  static let leastScale = 1e-6

  /// The one that brings the canonical face nearest to `target` (one place per canonical vertex, in
  /// its order), by weighted least squares.
  ///
  /// The rotation is the unit quaternion that Horn gives (Closed-form solution of absolute
  /// orientation using unit quaternions, 1987): it is proper by construction, so a mirrored face
  /// needs no extra case. nil when the target is not finite, or smaller than ``leastScale``.
  static func fit(to target: borrowing InlineArray<33, Vector3>) -> Similarity? {
    var total = 0.0
    var sourceMean = Vector3.zero
    var targetMean = Vector3.zero
    for i in 0..<CanonicalFace.count {
      let vertex = CanonicalFace.vertices[i]
      total += vertex.weight
      sourceMean = sourceMean + vertex.place * vertex.weight
      targetMean = targetMean + target[i] * vertex.weight
    }
    sourceMean = sourceMean * (1 / total)
    targetMean = targetMean * (1 / total)

    var correlation = Matrix3.zero  // of target (rows) with source (columns)
    var sourceSpread = 0.0
    for i in 0..<CanonicalFace.count {
      let vertex = CanonicalFace.vertices[i]
      let a = vertex.place - sourceMean
      correlation.addOuter(target[i] - targetMean, a, scale: vertex.weight)
      sourceSpread += a.dot(a) * vertex.weight
    }
    guard let rotation = nearestRotation(to: correlation) else { return nil }
    // The trace of rotation-transposed times correlation is the share that the rotation explains.
    let aligned =
      rotation.row0.dot(correlation.row0) + rotation.row1.dot(correlation.row1)
      + rotation.row2.dot(correlation.row2)
    let scale = aligned / sourceSpread
    guard scale.isFinite, scale > leastScale else { return nil }
    return Similarity(
      rotation: rotation, scale: scale, shift: targetMean - rotation * sourceMean * scale)
  }
}

/// The rotation R with the largest trace of R-transposed times `m`; nil for zero or not finite.
func nearestRotation(to m: Matrix3) -> Matrix3? {
  // Horn's symmetric 4x4 matrix of the quaternion (w, x, y, z) that turns source into target.
  let (a, b, c) = (m.row0, m.row1, m.row2)
  var n = Symmetric4()
  n.set(0, 0, a.x + b.y + c.z)
  n.set(0, 1, c.y - b.z)
  n.set(0, 2, a.z - c.x)
  n.set(0, 3, b.x - a.y)
  n.set(1, 1, a.x - b.y - c.z)
  n.set(1, 2, a.y + b.x)
  n.set(1, 3, a.z + c.x)
  n.set(2, 2, b.y - a.x - c.z)
  n.set(2, 3, b.z + c.y)
  n.set(3, 3, c.z - a.x - b.y)
  guard let q = n.principalVector() else { return nil }
  let (w, x, y, z) = (q[0], q[1], q[2], q[3])
  return Matrix3(
    Vector3(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
    Vector3(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
    Vector3(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)))
}

/// A symmetric 4x4 matrix, for its eigenvector alone.
struct Symmetric4 {
  var cells = InlineArray<16, Double>(repeating: 0)

  subscript(row: Int, column: Int) -> Double { cells[4 * row + column] }

  mutating func set(_ row: Int, _ column: Int, _ value: Double) {
    cells[4 * row + column] = value
    cells[4 * column + row] = value
  }

  /// Unit eigenvector of the largest eigenvalue, by cyclic Jacobi rotations; nil for a matrix that
  /// is zero or not finite. A 4x4 matrix settles in 4 to 6 sweeps; 16 are allowed.
  consuming func principalVector() -> InlineArray<4, Double>? {
    var largest = 0.0
    for i in 0..<16 {
      guard cells[i].isFinite else { return nil }
      largest = max(largest, abs(cells[i]))
    }
    guard largest > 0 else { return nil }
    var vectors = Symmetric4()  // columns become the eigenvectors
    for i in 0..<4 { vectors.cells[5 * i] = 1 }
    for _ in 0..<16 {
      var rest = 0.0
      for i in 0..<4 { for j in 0..<i { rest = max(rest, abs(self[i, j])) } }
      if rest <= largest * 1e-15 { break }
      for p in 0..<3 { for q in p + 1..<4 { rotate(p, q, collecting: &vectors) } }
    }
    var best = 0
    for i in 1..<4 where self[i, i] > self[best, best] { best = i }
    return [vectors[0, best], vectors[1, best], vectors[2, best], vectors[3, best]]
  }

  /// One Jacobi rotation, which makes cell (p, q) zero.
  private mutating func rotate(_ p: Int, _ q: Int, collecting vectors: inout Symmetric4) {
    let off = self[p, q]
    guard off != 0 else { return }
    let ratio = (self[q, q] - self[p, p]) / (2 * off)
    let magnitude = 1 / (abs(ratio) + (1 + ratio * ratio).squareRoot())
    let tangent = ratio < 0 ? -magnitude : magnitude
    let cosine = 1 / (1 + tangent * tangent).squareRoot()
    let sine = tangent * cosine
    for k in 0..<4 where k != p && k != q {
      let (kp, kq) = (self[k, p], self[k, q])
      set(k, p, cosine * kp - sine * kq)
      set(k, q, sine * kp + cosine * kq)
    }
    set(p, p, self[p, p] - tangent * off)
    set(q, q, self[q, q] + tangent * off)
    set(p, q, 0)
    for k in 0..<4 {
      let (kp, kq) = (vectors[k, p], vectors[k, q])
      vectors.cells[4 * k + p] = cosine * kp - sine * kq
      vectors.cells[4 * k + q] = sine * kp + cosine * kq
    }
  }
}
