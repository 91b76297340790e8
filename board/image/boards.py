"""boards.py KERNEL DEVICE_TREES INTO_INITRAMFS INTO_CARD: brings what the manifests of the boards
name out of a kernel's packages into the image. KERNEL is a root folder with /lib/modules.

    INTO_INITRAMFS/boards/NAME   the manifest as init reads it, modules in the order to load them
    INTO_INITRAMFS/modules/      those modules, unpacked
    INTO_CARD/                   the device trees

A module or a device tree that the kernel has not is an error, as is a compatible text that is in
none of a board's device trees: all of them are said at once. Prints the settings' part on boards.
"""

import lzma
import pathlib
import subprocess
import sys
import tomllib

kernel, trees, initramfs, card = map(pathlib.Path, sys.argv[1:])
manifests = sorted(pathlib.Path(__file__).parent.parent.glob("*.toml"))
release = next((kernel / "lib/modules").iterdir()).name
mistakes = []


def depends(module):
    """The files of a module and of what it needs, in the order to load; None when there is none."""
    found = subprocess.run(
        ["modprobe", "-d", kernel, "-S", release, "--show-depends", module],
        capture_output=True, text=True)
    if found.returncode != 0:
        return None
    # The other lines are "builtin NAME".
    lines = (line.split() for line in found.stdout.splitlines())
    return [pathlib.Path(words[1]) for words in lines if words[0] == "insmod"]


def add_module(file):
    name = file.name.split(".ko")[0]
    into = initramfs / "modules" / f"{name}.ko"
    if not into.exists():
        if file.suffix not in (".xz", ".ko"):
            sys.exit(f"boards.py: {file.name} is compressed in a way that is not known here")
        content = file.read_bytes()
        into.write_bytes(lzma.decompress(content) if file.suffix == ".xz" else content)
    return name


def load_order(board, wanted):
    order = []
    for module in wanted:
        files = depends(module)
        if files is None:
            mistakes.append(f"{board}.toml: the kernel {release} has no module {module}")
        for file in files or []:
            name = add_module(file)
            if name not in order:
                order.append(name)
    return order


def add_trees(board, manifest):
    compatible = set()
    for tree in manifest["device_trees"]:
        file = trees / tree
        if not file.exists():
            mistakes.append(f"{board}.toml: the kernel {release} has no device tree {tree}")
            continue
        (card / manifest.get("device_tree_names", {}).get(tree, tree)).write_bytes(file.read_bytes())
        told = subprocess.run(
            ["fdtget", file, "/", "compatible"], capture_output=True, text=True, check=True)
        compatible.update(told.stdout.split())
    for name in manifest["compatible"]:
        if name not in compatible:
            mistakes.append(f"{board}.toml: no device tree of this board is compatible with {name}")


def check_header(board, gpio):
    header = tomllib.loads((manifests[0].parent / gpio["header"]).read_text())
    pins = {pin["line"]: pin for pin in header["pin"]}
    for use in ("relay", "fault_led"):
        pin = pins.get(gpio[use])
        if pin is None or "reserved" in pin:
            mistakes.append(f"{board}.toml: {use} = {gpio[use]} is no free line of {gpio['header']}")
        elif use == "relay" and pin["pull"] != "down":
            mistakes.append(f"{board}.toml: the relay's line is drawn up at the reset")
    return pins


(initramfs / "boards").mkdir()
(initramfs / "modules").mkdir()
for manifest_file in manifests:
    manifest = tomllib.loads(manifest_file.read_text())
    if "device_trees" not in manifest:
        continue
    board = manifest_file.stem
    gpio, serial, watchdog = manifest["gpio"], manifest["serial"], manifest["watchdog"]
    add_trees(board, manifest)
    pins = check_header(board, gpio)
    modules = load_order(board, manifest["kernel"]["modules"])
    for_watchdog = load_order(board, [watchdog["module"]])
    (initramfs / "boards" / board).write_text(f"""\
compatible='{" ".join(manifest["compatible"])}'
modules='{" ".join(modules)}'
watchdog_modules='{" ".join(for_watchdog)}'
serial={serial["device"]}
baud={serial["baud"]}
chip={gpio["chip"]}
relay={gpio["relay"]}
fault_led={gpio["fault_led"]}
""")
    expected = manifest["expected"]
    print(f"# {manifest['name']}: relay on pin {pins[gpio['relay']]['number']}, light for faults on pin "
          f"{pins[gpio['fault_led']]['number']};\n"
          f"#     camera.fps = {expected['fps']}, detector.input = \"{expected['detector']}\"")
if mistakes:
    sys.exit("\n".join(mistakes))
