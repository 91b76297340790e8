#if arch(arm64)
  import CKernels

  /// What the loop from sums to outputs takes for granted. A loop is compiled for each of the forms
  /// below, so that it leaves out the steps that change nothing in them.
  protocol OutputForm {
    /// Whether sums go through the accumulator's factor first, as before a residual.
    static var hasAccumulator: Bool { get }
    static var hasResidual: Bool { get }
    /// Whether negative values may have factors of their own.
    static var hasSlopes: Bool { get }
    /// Whether the bounds may be narrower than those of int8.
    static var isBounded: Bool { get }
    /// Whether factors only shift to the right, behind an accumulator's factor that only shifts to the
    /// left, and a residual has all of the block's channels and an even multiplier whose half fits 16
    /// bits: what the networks have.
    static var isUsual: Bool { get }
  }

  enum PlainForm: OutputForm {
    static var hasAccumulator: Bool { false }
    static var hasResidual: Bool { false }
    static var hasSlopes: Bool { false }
    static var isBounded: Bool { false }
    static var isUsual: Bool { true }
  }

  enum BoundedForm: OutputForm {
    static var hasAccumulator: Bool { false }
    static var hasResidual: Bool { false }
    static var hasSlopes: Bool { false }
    static var isBounded: Bool { true }
    static var isUsual: Bool { true }
  }

  enum SlopedForm: OutputForm {
    static var hasAccumulator: Bool { false }
    static var hasResidual: Bool { false }
    static var hasSlopes: Bool { true }
    static var isBounded: Bool { false }
    static var isUsual: Bool { true }
  }

  enum ResidualForm: OutputForm {
    static var hasAccumulator: Bool { true }
    static var hasResidual: Bool { true }
    static var hasSlopes: Bool { true }
    static var isBounded: Bool { false }
    static var isUsual: Bool { true }
  }

  /// As ``ResidualForm`` for channels beyond the residual's.
  enum AccumulatedForm: OutputForm {
    static var hasAccumulator: Bool { true }
    static var hasResidual: Bool { false }
    static var hasSlopes: Bool { true }
    static var isBounded: Bool { false }
    static var isUsual: Bool { true }
  }

  enum AnyPlainForm: OutputForm {
    static var hasAccumulator: Bool { false }
    static var hasResidual: Bool { false }
    static var hasSlopes: Bool { true }
    static var isBounded: Bool { true }
    static var isUsual: Bool { false }
  }

  enum AnyResidualForm: OutputForm {
    static var hasAccumulator: Bool { true }
    static var hasResidual: Bool { true }
    static var hasSlopes: Bool { true }
    static var isBounded: Bool { true }
    static var isUsual: Bool { false }
  }

  /// The usual forms, by number.
  enum UsualForm {
    case plain
    case bounded
    case sloped
    case residual
    case accumulated

    /// nil where one of the `channels` (8 or 16) is not as the usual forms want it.
    init?(_ block: kernels_requantisation, channels: Int = 8) {
      let traits = block.table + 7 &* block.pitch
      var all = traits[0]
      var any = traits[0]
      if channels == 16 {
        all &= traits[8]
        any |= traits[8]
      }
      guard all & ChannelTable.Traits.shiftsRight != 0 && block.channels == channels else {
        return nil
      }
      let isBounded = block.minimum > -128 || block.maximum < 127
      if block.residual != nil {
        guard
          !isBounded && all & ChannelTable.Traits.accumulatesLeft != 0
            && (block.residual_channels >= channels || block.residual_channels == 0)
            && block.residual_multiplier & 1 == 0
            && (-65_534...65_536).contains(block.residual_multiplier)
        else { return nil }
        self = block.residual_channels == 0 ? .accumulated : .residual
      } else if any & ChannelTable.Traits.hasSlopes != 0 {
        guard !isBounded else { return nil }
        self = .sloped
      } else {
        self = isBounded ? .bounded : .plain
      }
    }
  }
#endif
