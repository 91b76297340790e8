import Imaging
import Inference

/// What is told from a face whose mesh is known. Networks that are not there leave their values nil.
struct AttributeNetworks: ~Copyable {
  private var genderNetwork: GenderNetwork?

  init(gender: consuming Network?) throws(FacesError) {
    if let network = gender {
      genderNetwork = try GenderNetwork(network)
    } else {
      genderNetwork = nil
    }
  }

  /// Smile and open eyes of one frame, not smoothed.
  mutating func classify(
    _ frame: borrowing FrameView, _ mesh: Span<Point3>, _ pose: Pose, _ face: inout Face
  ) throws(ImagingError) {
  }

  /// Probability of a man, 0 to 1.
  mutating func gender(
    _ frame: borrowing FrameView, _ mesh: Span<Point3>
  ) throws(ImagingError) -> Float? {
    try genderNetwork?.run(frame, mesh)
  }
}
