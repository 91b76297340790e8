extension RowForm {
  static var dotProduct: RowForm { .neon }
  static var wideDotProduct: RowForm? { .wideNEON }
}
