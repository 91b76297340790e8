import CPlatform
import Imaging
import Inference
import Platform

extension Network {
  /// The number of the output of that name, which must have `count` elements and, where given, so
  /// many channels.
  func output(
    named name: StaticString, count: Int, channels: Int? = nil
  ) throws(ModelError) -> Int {
    for index in 0..<outputCount {
      let found = outputDescription(index)
      guard found.name == name else { continue }
      guard found.count == count, channels == nil || channels == found.channels else {
        throw .port(.output, index: index, .shape)
      }
      return index
    }
    throw .port(.output, index: outputCount, .name)
  }

  /// Cuts a part of a frame into the first input, in colour or grey as the input wants it.
  mutating func fillInput(
    _ frame: borrowing FrameView, _ region: CropRegion, _ pictures: PictureKernels
  ) throws(ImagingError) {
    let wanted = inputDescription(0)
    var elements = input(0)
    try crop(
      frame, region: region, into: &elements, width: wanted.width, height: wanted.height,
      channels: wanted.channels == 1 ? .grey : .rgb, kernels: pictures)
  }
}

/// The logistic function.
func sigmoid(_ x: Float) -> Float { 1 / (1 + expf(-x)) }

/// Memory from the arena, in this module's words.
func take(
  _ byteCount: Int, _ arena: inout Arena
) throws(FacesError) -> UnsafeMutableRawBufferPointer {
  do throws(ArenaError) { return try arena.take(byteCount) } catch {
    throw .memory(needed: error.needed, capacity: error.capacity)
  }
}
