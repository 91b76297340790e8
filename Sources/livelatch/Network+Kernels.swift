import Inference
import Kernels

extension Network {
  /// How many layers of each kind which variant runs, in the order in which they first occur.
  func kernelLines(_ name: String, asJSON: Bool) -> [String] {
    var counts: [(layer: String, variant: String, count: Int)] = []
    for index in 0..<layerCount {
      let layer = layerDescription(index)
      guard layer.runs else { continue }
      let (what, variant) = (layer.text, layer.kernels.name.string)
      if let known = counts.firstIndex(where: { $0.layer == what && $0.variant == variant }) {
        counts[known].count += 1
      } else {
        counts.append((what, variant, 1))
      }
    }
    return counts.map { layer, variant, count in
      guard asJSON else {
        return "  \(String(count).padded(to: 3)) \(layer.padded(to: 28, left: true)) \(variant)"
      }
      var line = JSONLine()
      line.add("model", name)
      line.add("layer", layer)
      line.add("layers", count)
      line.add("kernels", variant)
      return line.text
    }
  }
}

extension LayerDescription {
  /// Whether there is anything to run.
  var runs: Bool { name.string != "view" }

  /// Such as `convolution 3x3/2 int8`: window, stride, type.
  var text: String {
    let window = shape.window
    let isWindowed = !["addition", "prelu", "padding", "doubling"].contains(name.string)
    let stride = window.horizontalStride > 1 ? "/\(window.horizontalStride)" : ""
    let sizes = isWindowed ? " \(window.height)x\(window.width)\(stride)" : ""
    return "\(name.string)\(sizes) \(type.name.string)"
  }
}
