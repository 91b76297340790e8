import Inference

/// The networks that faces need, ready to run. Without one of the optional ones its values stay
/// nil.
public struct FaceNetworks: ~Copyable {
  var detector: Network
  var mesh: Network
  var eye: Network?
  var smile: Network?
  var gender: Network?

  /// - Parameters:
  ///   - detector, mesh: what no face is found without.
  ///   - eye, smile, gender: nil leaves their probabilities nil.
  public init(
    detector: consuming Network, mesh: consuming Network, eye: consuming Network? = nil,
    smile: consuming Network? = nil, gender: consuming Network? = nil
  ) {
    self.detector = detector
    self.mesh = mesh
    self.eye = eye
    self.smile = smile
    self.gender = gender
  }
}
