import Faces
import Settings

/// The files of the line-up, in the order in which a frame meets them.
public func modelNames(_ settings: borrowing Settings) -> InlineArray<5, StaticString> {
  let detector: StaticString =
    switch settings.faces.detectorInput {
    case .w160h120: "yunet-160.llm"
    case .w320h240: "yunet-320.llm"
    }
  return [detector, "mesh468.llm", "eye-open.llm", "smile.llm", "gender.llm"]
}
