// The tools and the tests have strings on the heap; the firmware has not.
#if !hasFeature(Embedded)
  extension FixedString {
    /// As much of `text` as fits. Literals stay static.
    @_disfavoredOverload
    public init(_ text: String) {
      self.init()
      var text = text
      text.withUTF8 { append($0.span) }
    }

    /// The text as an ordinary string; bytes that are no UTF-8 become U+FFFD.
    public var string: String {
      bytes.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }
  }

  extension StaticString {
    /// The text as an ordinary string.
    public var string: String { withUTF8Buffer { String(decoding: $0, as: UTF8.self) } }
  }
#endif
