import Imaging
import Inference

/// What is told from a face whose mesh is known. Networks that are not there leave their values
/// nil.
struct AttributeNetworks: ~Copyable {
  private var eye: PatchNetwork?
  private var smile: PatchNetwork?
  private var gender: GenderNetwork?

  init(
    eye: consuming Network?, smile: consuming Network?, gender: consuming Network?
  ) throws(FacesError) {
    let eyeNetwork = try Self.patch(eye, .eye)
    let smileNetwork = try Self.patch(smile, .smile)
    let genderNetwork = try Self.chip(gender)
    self.eye = eyeNetwork
    self.smile = smileNetwork
    self.gender = genderNetwork
  }

  private static func patch(
    _ network: consuming Network?, _ job: FaceNetwork
  ) throws(FacesError) -> PatchNetwork? {
    guard let network else { return nil }
    return try PatchNetwork(network, job)
  }

  private static func chip(_ network: consuming Network?) throws(FacesError) -> GenderNetwork? {
    guard let network else { return nil }
    return try GenderNetwork(network)
  }

  /// Smile and open eyes of one frame, not smoothed.
  mutating func classify(
    _ frame: borrowing FrameView, _ mesh: Span<Point3>, _ face: inout Face
  ) throws(ImagingError) {
    face.smilingProbability = try smile?.run(frame, FacePatch.mouth(mesh)) ?? nil
    face.leftEyeOpenProbability =
      try eye?.run(frame, FacePatch.eye(mesh, isLeft: true), isMirrored: true) ?? nil
    face.rightEyeOpenProbability =
      try eye?.run(frame, FacePatch.eye(mesh, isLeft: false)) ?? nil
  }

  /// How much more the face looks like a man's than like a woman's, as a logit.
  mutating func gender(
    _ frame: borrowing FrameView, _ mesh: Span<Point3>
  ) throws(ImagingError) -> Float? {
    try gender?.run(frame, mesh)
  }
}
