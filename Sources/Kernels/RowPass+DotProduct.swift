extension RowForm {
  static func dotProduct(_ kind: LayerKind) -> RowForm { .neon(kind) }
  static var wideDotProduct: RowForm? { .wideNEON }
}
