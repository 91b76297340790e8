/// What `--help` prints.
enum Help {
  static let overview = """
    livelatch: finds faces, follows them, and tells a live person from a picture.

    usage: livelatch COMMAND [OPTION…]

      run            watch a camera and drive the lines
      replay CLIP    run a recorded clip or a picture through the same code
      detect PICTURE…
                     find the faces of pictures
      annotate IN OUT
                     draw what is found into a picture (PNG) or a clip (MP4)
      check-config [FILE]
                     check the settings (default: Config/livelatch.toml in this folder)
      models         the networks, their sizes and the kernels that run them
      bench          how long the stages take on this machine
      self-test      compare every kernel with its reference

      livelatch COMMAND --help   the command's options
      livelatch --version

    Exit codes: 0 all well, 1 the work failed, 64 a command line that is not understood, 65 input
    that cannot be used, 66 input that is not there, 69 a program is missing, 71 or 74 the system
    refuses, 78 wrong settings.
    """

  static let common = """
      --config FILE      settings (default: Config/livelatch.toml in this folder)
      --models FOLDER    the packed models (default: as the settings say)
    """

  static func of(_ command: String) -> String? {
    switch command {
    case "run":
      """
      usage: livelatch run [OPTION…]
      Watches the camera of the settings until it is stopped (Ctrl-C).

      \(common)
        --camera DEVICE    another camera than that of the settings
        --simulate         no GPIO: changes of the lines are only logged
        --wait             waits for a camera that is not there, as the firmware does
      """
    case "replay":
      """
      usage: livelatch replay CLIP [OPTION…]
      Runs a clip (Y4M, - for standard input, anything that ffmpeg reads) or a picture (JPEG, PNG)
      through the pipeline. Times are the clip's own, nothing is dropped, the lines are simulated:
      the same clip, settings and seed give the same log. The order of challenges is the settings'
      or drawn by the seed.

      \(common)
        --challenges LIST  such as smile,turn_left,mouth_open: these, in this order, of smile, turn,
                           turn_left, turn_right, mouth_open, nod, head_up, head_down, blink
        --count N          challenges a session, 1 to 8 (default: as the list or the settings say)
        --seed N           draws the challenges (default 0)
        --rules RULES      pose or book
        --rotate DEGREES   0, 90, 180 or 270, clockwise
        --mirror           left and right change places
        --realtime         plays as a camera would, late frames dropped
        --seconds N        how long a picture is shown, 1 to 3600 (default 20)
        --gestures         also log each gesture that begins or ends
        --json             JSON Lines instead of the log
        --frames           with --json: a line for every frame with its faces
        --expect RESULT    live or failed: exit code 1 unless the last verdict is that
      """
    case "detect":
      """
      usage: livelatch detect PICTURE… [OPTION…]
      Finds the faces of JPEG and PNG pictures. No face is no error.

      \(common)
        --json             JSON Lines, one a picture
        --min-face-size S  smallest face as a share of the picture's width, 0.03 to 1
      """
    case "annotate":
      """
      usage: livelatch annotate IN OUT [OPTION…]
      Draws box, ID, landmarks, angles, probabilities, prompt and verdict. A picture is written as
      .png, a clip as .mp4 (by the ffmpeg program).

      \(common)
        --challenges LIST, --count N, --seed N, --rules RULES, --rotate DEGREES, --mirror
                           as of replay
        --note TEXT        written in the upper right corner
        --frame N          of a clip only that frame, counted from 0, as .png
      """
    case "check-config":
      """
      usage: livelatch check-config [FILE]
      Checks the settings (default: Config/livelatch.toml in this folder) and lists all that is wrong,
      with line, column and what is allowed. Exit code 0, or 78.
      """
    case "models":
      """
      usage: livelatch models [OPTION…]
      Lists the networks that the settings need.

      \(common)
        --kernels          which variant runs how many of its layers of each kind
        --json             JSON Lines, one a network
      """
    case "bench":
      """
      usage: livelatch bench [OPTION…]
      Measures each network, the scaler, the crop and a whole frame, from the ring to the log, on
      this machine.

      \(common)
        --layers           measure the layers of the networks instead, one by one
        --case CASE        measure this alone: network:FILE, layer:FILE:INDEX,
                           scaler:FORMAT:WxH:WxH[:DEGREES], crop:FORMAT:WxH:SIDE:OUTPUT or frame
        --runs N           timed runs of each, 1 to 100000
        --json             one JSON object
        --clip CLIP        measure the whole frame on this clip (default: the demo clip)
      """
    case "self-test":
      """
      usage: livelatch self-test
      Compares every kernel of this processor with its reference.
      """
    default: nil
    }
  }
}
