# The usual ways to use the CMake build; 'make help' lists them. Everything is built under build/.

PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60

.PHONY: all demo docs test test-ci test-long sanitize sanitize-threads fuzz coverage bench gpu-check install \
    clean help

all:
	@sh scripts/install-deps.sh build
	@sh scripts/build.sh release -DCMAKE_BUILD_TYPE=Release
	@echo "built build/release/bin/ztile"

demo: all
	@build/release/bin/ztile demo -f

docs:
	@sh scripts/install-deps.sh docs
	@mkdir -p build
	@doxygen docs/Doxyfile
	@echo "built build/docs/html/index.html"

test:
	@sh scripts/install-deps.sh test
	@sh tests/run.sh short

test-ci:
	@sh scripts/install-deps.sh test
	@sh tests/run.sh ci

test-long:
	@sh scripts/install-deps.sh test
	@sh tests/run.sh long

sanitized = -DCMAKE_BUILD_TYPE=RelWithDebInfo -DZTILE_TESTS_NESTED=OFF \
    -DCMAKE_C_FLAGS_RELWITHDEBINFO="-O1 -g1" -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1"

sanitize:
	@sh scripts/install-deps.sh test
	@sh tests/run.sh medium sanitize $(sanitized) -DZTILE_SANITIZE=ON

sanitize-threads:
	@sh scripts/install-deps.sh test
	@sh tests/run.sh short threads $(sanitized) -DZTILE_SANITIZE=THREAD -DZTILE_CLI=OFF

fuzz:
	@sh scripts/install-deps.sh fuzz
	@sh scripts/fuzz.sh $(FUZZ_SECONDS)

coverage:
	@sh scripts/install-deps.sh coverage
	@sh scripts/coverage.sh $(COVERAGE_OPTIONS)

bench:
	@sh scripts/install-deps.sh bench
	@sh scripts/build.sh bench -DCMAKE_BUILD_TYPE=Release -DZTILE_BENCH=ON
	@build/bench/bin/ztile_bench $(BENCH_OPTIONS)

gpu-check:
	@sh scripts/install-deps.sh build
	@sh scripts/build.sh gpu -DCMAKE_BUILD_TYPE=Release -DZTILE_CUDA=ON
	@build/gpu/bin/ztile-gpu-check --bench $(GPU_CHECK_OPTIONS)

# CUDA=ON: with the cuda policy, for CUDA_ARCHITECTURES
ifdef CUDA
install:
	@sh scripts/install-deps.sh build
	@sh scripts/build.sh gpu -DCMAKE_BUILD_TYPE=Release -DZTILE_CUDA=$(CUDA) \
	    -DZTILE_CUDA_ARCHITECTURES="$(CUDA_ARCHITECTURES)"
	@cmake --install build/gpu --prefix "$(PREFIX)"
else
install: all
	@cmake --install build/release --prefix "$(PREFIX)"
endif

clean:
	rm -rf build

help:
	@echo "make            build the library and the command in build/release"
	@echo "make demo       simulate a field, compress it every way, show the result"
	@echo "make docs       the reference of the C interface, build/docs/html/index.html (doxygen)"
	@echo "make test       build with tests; the short tier (6 minutes on two cores)"
	@echo "make test-ci    the medium tier; other compiler, sanitizers, GPU kernels, wheel, installed copy"
	@echo "make test-long  all tiers"
	@echo "make sanitize   the tests under the address and undefined-behaviour sanitizers"
	@echo "make sanitize-threads  the short tests under the thread sanitizer"
	@echo "make fuzz       each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS)"
	@echo "make coverage   what the short tests run of the format and the codecs, in per cent"
	@echo "make bench      ztile and libzfp on the same arrays; BENCH_OPTIONS='--help' lists options"
	@echo "make gpu-check  the cuda policy on this machine's GPU, and its speeds (needs nvcc)"
	@echo "make install    to PREFIX=$(PREFIX); CUDA=ON: with the cuda policy (needs nvcc), for"
	@echo "                CUDA_ARCHITECTURES='80-real;90' or others from 75 on"
	@echo "make clean      remove build/"
	@echo "Missing Debian packages are installed with apt; ZTILE_NO_INSTALL=1 prevents it."
