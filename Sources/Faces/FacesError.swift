import Imaging
import Inference
import Platform

/// Why faces cannot be looked for. ``message`` is what a person reads.
public enum FacesError: Error, Equatable, Sendable {
  /// A network that is another one than its job needs, or damaged.
  case network(FaceNetwork, ModelError)
  /// The detector looks at pictures of another size than the options ask for.
  case detectorInput(DetectorInput, width: Int, height: Int)
  /// The picture's size cannot be dealt with.
  case picture(ImagingError)
  /// The arena is too small.
  case memory(needed: Int, capacity: Int)

  public var message: FixedString<192> {
    var out = FixedString<192>()
    switch self {
    case .network(let network, let error):
      out.append(network.name)
      out.append(": ")
      out.append(error.message)
    case .detectorInput(let wanted, let width, let height):
      out.append(FaceNetwork.detector.name)
      out.append(": the model's input is ")
      out.append(width)
      out.append("x")
      out.append(height)
      out.append(" pixels, the settings ask for ")
      out.append(wanted.size.width)
      out.append("x")
      out.append(wanted.size.height)
    case .picture: out.append("the camera's picture must have sides of 1 to 16384 pixels")
    case .memory(let needed, let capacity):
      out.append("finding faces needs ")
      out.append(needed)
      out.append(" bytes of memory, there are ")
      out.append(capacity)
    }
    return out
  }
}

/// The networks by their job.
public enum FaceNetwork: UInt8, Sendable {
  case detector, mesh, smile, eye, gender

  /// The name in messages.
  public var name: StaticString {
    switch self {
    case .detector: "detector"
    case .mesh: "mesh"
    case .smile: "smile"
    case .eye: "eye"
    case .gender: "gender"
    }
  }
}

#if !hasFeature(Embedded)
  extension FaceNetwork: CaseIterable {}
#endif
