# Everything a developer runs; `make help` lists it. Needs Debian 12 or 13 and Swift 6.3 on PATH.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Debian suite of the board that the firmware is for.
SUITE ?= bookworm
CONFIG ?= Config/livelatch.toml
DEMO := board/demo/demo.mp4
DEMO_CONFIG := board/demo/demo.toml
FUZZ_MUTATIONS ?= 100000

# One scratch directory for each kind of build: their modules are not interchangeable.
SWIFT_BUILD := swift build -c release
FIRMWARE_X86_64 := FIRMWARE=x86_64 $(SWIFT_BUILD) --scratch-path .build-x86_64
firmware_arm64 = FIRMWARE=arm64 $(SWIFT_BUILD) --scratch-path .build-arm64-$(1) \
  --swift-sdks-path build/sdk --swift-sdk livelatch-$(1)
SUITES := bookworm trixie
SYSROOT := build/sdk/livelatch-$(SUITE).artifactbundle/livelatch-$(SUITE)/sysroot

# A Pi 3 or Zero 2 W, a Pi 4, and a processor with the dot product that a Pi 5 has.
PROCESSORS := cortex-a53 cortex-a72 max

step = @printf '\n── %s\n' '$(1)'

##@ Use it

.PHONY: run
run: ## Build and replay the demo clip, or CAMERA=/dev/video0; LEDs and relay are simulated
	@board/install-dependencies.sh build
	$(call step,The tool)
	$(SWIFT_BUILD) --product livelatch
ifdef CAMERA
	$(call step,livelatch on the camera $(CAMERA))
	.build/release/livelatch run --config $(CONFIG) --camera $(CAMERA) --simulate
else
	$(call step,Replay of the synthetic demo clip)
	.build/release/livelatch replay $(DEMO) --config $(DEMO_CONFIG) --expect live
endif

.PHONY: firmware
firmware: ## Build livelatchd for 64-bit ARM boards into build/firmware (SUITE=bookworm or trixie)
	$(call step,SDK for $(SUITE) on arm64)
	@board/sdk/make-sdk.sh $(SUITE)
	$(call step,Firmware for arm64 in Embedded Swift)
	$(call firmware_arm64,$(SUITE)) --product livelatchd
	@board/collect-firmware.sh .build-arm64-$(SUITE)/release/livelatchd build/firmware/arm64-$(SUITE)

# Debian's release of the image's packages; its kernel comes from the backports.
IMAGE_SUITE := trixie

.PHONY: image
image: ## Build the card image for all boards into build/image, packed too
	@board/install-dependencies.sh image
	@$(MAKE) firmware SUITE=$(IMAGE_SUITE)
	$(call step,Card image)
	@board/image/make.sh

.PHONY: image-sources
image-sources: ## Collect the sources of the image's Debian packages into build/image/sources
	@board/image/sources.sh

.PHONY: firmware-x86_64
firmware-x86_64: ## Build livelatchd as Embedded Swift for this machine
	@board/install-dependencies.sh build
	$(call step,Firmware for x86_64 in Embedded Swift)
	$(FIRMWARE_X86_64) --product livelatchd

.PHONY: bench
bench: firmware-x86_64 ## Measure beside other programs for the same, into build/bench.json (ONLY=word)
	@board/install-dependencies.sh build models
	$(call step,The tool)
	$(SWIFT_BUILD) --product livelatch
	$(call step,Ours and the peers in turn)
	@board/bench/bench.sh .build/release/livelatch .build-x86_64/release/livelatchd \
	  $(if $(ONLY),--only "$(ONLY)")

.PHONY: bench-arm64
bench-arm64: ## Count instructions on emulated arm64 beside LiteRT, into build/bench-arm64.json
	@board/install-dependencies.sh build models bench-arm64
	@$(MAKE) firmware
	$(call firmware_arm64,$(SUITE)) --product invoke
	$(call step,Ours and the peer under the same emulator)
	@board/bench/bench-arm64.sh .build-arm64-$(SUITE)/release/invoke \
	  .build-arm64-$(SUITE)/release/livelatchd $(SYSROOT)

##@ Check it

CHECKS := test-format test-embedded test-arm64 test-allocations test-tsan test-fuzz test-swift

.PHONY: test
test: packages ## All the checks that CI runs
	@for check in $(CHECKS); do $(MAKE) $$check; done

# What the checks need beyond Swift.
.PHONY: packages
packages:
	@board/install-dependencies.sh test

.PHONY: test-format
test-format: ## Swift sources as swift-format writes them
	$(call step,Format)
	swift format lint --strict --parallel -r Sources Tests Package.swift

.PHONY: test-swift
test-swift: packages ## Tests of the ordinary build
	$(call step,Tests of the ordinary build)
	@board/check/run-tests.sh test-swift

.PHONY: test-embedded
test-embedded: packages firmware-x86_64 ## Embedded build for this machine: no heap, self-test passes
	$(call step,Heap gate and self-test on x86_64)
	@board/check/heap-gate.sh .build-x86_64/release
	.build-x86_64/release/livelatchd self-test

.PHONY: test-arm64
test-arm64: packages firmware-x86_64 ## arm64 firmware on emulated processors: heap, kernels, events
	@for suite in $(SUITES); do board/sdk/make-sdk.sh $$suite; done
	@$(MAKE) firmware
	$(call step,Heap gate and self-test on arm64)
	@board/check/heap-gate-test.sh $(SYSROOT)
	@board/check/heap-gate.sh .build-arm64-$(SUITE)/release
	@for processor in $(PROCESSORS); do \
	  echo "self-test on an emulated $$processor"; \
	  qemu-aarch64 -cpu $$processor \
	    -L $(SYSROOT) build/firmware/arm64-$(SUITE)/livelatchd self-test; \
	done
	$(call step,Inner loops of the kernels in arm64 code)
	@board/check/arm64-loops-test.sh
	@python3 board/check/arm64_loops.py "$$(board/toolchain.sh usr)" \
	  .build-arm64-$(SUITE)/release/livelatchd
	$(call step,Events of the demo clip on arm64 as on x86_64)
	@board/check/arm64-events.sh $(DEMO) .build-x86_64/release/livelatchd \
	  build/firmware/arm64-$(SUITE)/livelatchd $(SYSROOT) cortex-a72 max
	$(call step,C shims against the libraries of the other suites)
	@for suite in $(filter-out $(SUITE),$(SUITES)); do for shim in CCamera CGPIO CToml; do \
	  $(call firmware_arm64,$$suite) --target $$shim; done; done

.PHONY: test-allocations
test-allocations: packages firmware-x86_64 ## livelatchd neither allocates nor grows while it works
	$(call step,Check of the allocation check)
	@board/check/allocations-test.sh
	$(call step,livelatchd over 1000 frames)
	@board/check/allocations.sh $(DEMO) 1000 .build-x86_64/release/livelatchd run \
	  --config $(DEMO_CONFIG) --clip @CLIP --simulate

.PHONY: test-vm
test-vm: firmware-x86_64 ## The firmware on the kernel's own drivers, in a virtual machine
	@board/install-dependencies.sh vm
	$(call step,Tests in the virtual machine)
	@board/vm/test.sh $(GROUP)

.PHONY: test-image
test-image: ## The card image on emulated boards: boot, demo, wrong settings, cut power; TEST=NAME
	@board/install-dependencies.sh image build
	@$(MAKE) firmware SUITE=$(IMAGE_SUITE)
	$(call step,Card image)
	@board/image/make.sh --unpacked build/image/test
	$(call step,Image on emulated boards)
	@python3 -u board/image/boot_test.py build/image/test/*.img $(TEST)

.PHONY: test-image-bytes
test-image-bytes: ## Two images made one after the other are the same to the byte
	@for number in 1 2; do board/image/make.sh --unpacked build/image/same$$number; done
	@cmp build/image/same1/*.img build/image/same2/*.img && rm -r build/image/same1 build/image/same2

.PHONY: soak
soak: ## The image's power cut 50 times at random moments
	@$(MAKE) test-image TEST=soak

.PHONY: test-tsan
test-tsan: packages ## The frame ring's threads under the thread sanitizer
	$(call step,Frame ring under the thread sanitizer)
	@SANITIZE=thread board/check/run-tests.sh test-tsan --sanitize thread --scratch-path .build-tsan

.PHONY: fuzz
fuzz: packages ## Damaged models and settings under the address sanitizer, FUZZ_MUTATIONS=100000 each
	$(call step,$(FUZZ_MUTATIONS) damaged files of each kind under the address sanitizer)
	@SANITIZE=address FUZZ_MUTATIONS=$(FUZZ_MUTATIONS) board/check/run-tests.sh fuzz --sanitize address \
	  --scratch-path .build-asan --filter Fuzz

.PHONY: test-fuzz
test-fuzz: ## The same with 2,000 each
	@$(MAKE) fuzz FUZZ_MUTATIONS=2000

##@ Make its parts anew

.PHONY: demo-clip
demo-clip: ## The synthetic demo clip, rendered from its portrait
	@board/install-dependencies.sh build models
	$(call step,Demo clip)
	@board/demo/make.sh

.PHONY: models
models: ## The packed models from their pinned sources; says whether the bytes are those committed
	@board/install-dependencies.sh build models
	$(call step,Models)
	$(SWIFT_BUILD) --product modelc
	@board/pack-models.sh .build/release/modelc

.PHONY: train-heads
train-heads: ## The smile and eye heads, taught anew; needs the recordings, which are not here
	@board/install-dependencies.sh models
	@Models/train-heads.sh

.PHONY: update-pins
update-pins: ## Pin the Debian packages that are unpacked here (SDK, virtual machine) to those of today
	@board/packages/fetch.sh --update-pins

.PHONY: format
format: ## Write Swift sources as swift-format does
	swift format --in-place --parallel -r Sources Tests Package.swift

.PHONY: clean
clean: ## Remove everything that was built or downloaded
	rm -rf build .build .build-*

.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^##@ / { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9_-]+:.*## / { sub(/:.*/, "", $$1); printf "  make %-18s %s\n", $$1, $$2 }' Makefile
