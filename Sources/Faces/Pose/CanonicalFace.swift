/// The points of the canonical face that carry weight in a pose solve: 33 of the mesh's 468.
///
/// Places in centimetres: x to the picture's right (the person's left), y up, z towards the camera.
/// The weights sum to 1 but for rounding. Source: MediaPipe's face geometry metadata (Apache-2.0),
/// as written to `Models/pose_points.csv`, which a test compares with this table.
enum CanonicalFace {
  struct Vertex {
    /// Mesh point, 0 to 467.
    var point: Int
    var x: Double
    var y: Double
    var z: Double
    var weight: Double

    init(_ point: Int, _ x: Double, _ y: Double, _ z: Double, _ weight: Double) {
      self.point = point
      self.x = x
      self.y = y
      self.z = z
      self.weight = weight
    }

    var place: Vector3 { Vector3(x, y, z) }
  }

  static let count = 33

  static let vertices: InlineArray<33, Vertex> = [
    Vertex(4, 0.0, -0.46317, 7.58658, 0.07090994),
    Vertex(6, 0.0, 2.473255, 5.788627, 0.032100145),
    Vertex(10, 0.0, 8.261778, 4.481535, 0.008446551),
    Vertex(33, -4.445859, 2.663991, 3.173422, 0.05872417),
    Vertex(54, -6.279331, 6.615427, 1.42585, 0.00766708),
    Vertex(67, -3.523964, 8.005976, 3.729163, 0.009078059),
    Vertex(117, -5.258659, 0.945811, 2.974312, 0.009791938),
    Vertex(119, -3.300681, 0.861641, 3.872784, 0.014565368),
    Vertex(121, -1.820731, 1.467954, 4.224124, 0.018591361),
    Vertex(127, -7.743095, 2.364999, -2.005167, 0.0051979944),
    Vertex(129, -1.785794, -0.978284, 4.85047, 0.120625205),
    Vertex(132, -7.270895, -2.890917, -2.252455, 0.0055600186),
    Vertex(133, -1.856432, 2.585245, 3.757904, 0.053286184),
    Vertex(136, -5.085276, -7.17859, 0.714711, 0.066890456),
    Vertex(143, -6.407571, 2.236021, 1.560843, 0.014816548),
    Vertex(147, -6.234883, -1.94443, 1.663542, 0.014262834),
    Vertex(198, -1.246815, 0.230297, 5.681036, 0.025462192),
    Vertex(205, -3.832928, -1.537326, 4.137731, 0.04725228),
    Vertex(263, 4.445859, 2.663991, 3.173422, 0.05872417),
    Vertex(284, 6.279331, 6.615427, 1.42585, 0.00766708),
    Vertex(297, 3.523964, 8.005976, 3.729163, 0.009078059),
    Vertex(346, 5.258659, 0.945811, 2.974312, 0.009791938),
    Vertex(348, 3.300681, 0.861641, 3.872784, 0.014565368),
    Vertex(350, 1.820731, 1.467954, 4.224124, 0.018591361),
    Vertex(356, 7.743095, 2.364999, -2.005167, 0.0051979944),
    Vertex(358, 1.785794, -0.978284, 4.85047, 0.120625205),
    Vertex(361, 7.270895, -2.890917, -2.252455, 0.0055600186),
    Vertex(362, 1.856432, 2.585245, 3.757904, 0.053286184),
    Vertex(365, 5.085276, -7.17859, 0.714711, 0.066890456),
    Vertex(372, 6.407571, 2.236021, 1.560843, 0.014816548),
    Vertex(376, 6.234883, -1.94443, 1.663542, 0.014262834),
    Vertex(420, 1.246815, 0.230297, 5.681036, 0.025462192),
    Vertex(425, 3.832928, -1.537326, 4.137731, 0.04725228),
  ]
}
