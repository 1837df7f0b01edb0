#!/bin/sh
# install-deps.sh: see to it that what a target needs is there.
#
#     scripts/install-deps.sh build|docs|test|bench|fuzz|coverage
#
# Says nothing and takes a fraction of a second where nothing is missing. Otherwise it installs the
# missing Debian packages with apt-get (as root, or through sudo), or where it cannot, prints one
# sentence with their names: an error if the target cannot do without them, else a warning.
# ZTILE_NO_INSTALL=1 in the environment: never install.
set -u

target=${1:-build}
needed=   # packages without which nothing goes
optional= # packages without which a part is left out

have_command() { command -v "$1" >/dev/null 2>&1; }
have_module() { have_command pkg-config && pkg-config --exists "$1"; }
have_header() { have_command cc && echo "#include <$1>" | cc -E - >/dev/null 2>&1; }
have_python_module() { python3 -c "import $1" >/dev/null 2>&1; }
have_python_header() {
    python3 -c 'import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' 2>/dev/null
}
need() { needed="$needed $1"; }
want() { optional="$optional $1"; }

check_missing() {
    needed=
    optional=
    have_command cc || need gcc
    have_header stdio.h || need libc6-dev
    have_command make || need make
    have_command cmake || need cmake
    have_command pkg-config || need pkg-config
    have_module libxxhash || need libxxhash-dev
    have_module cairo || want libcairo2-dev
    have_module hdf5 || have_module hdf5-serial || have_command h5cc || want libhdf5-dev
    have_module jansson || want libjansson-dev
    have_module netcdf || have_command nc-config || want libnetcdf-dev
    case $target in
    test)
        have_module cmocka || need libcmocka-dev
        have_command c++ || want g++
        have_header zfp.h || want libzfp-dev
        have_command zfp || want zfp
        have_command zstd || want zstd
        have_command h5ls || want hdf5-tools
        have_command ncgen || want netcdf-bin
        have_command python3 || want python3
        have_python_module ensurepip || want python3-venv
        have_python_module pip || want python3-pip
        have_python_header || want python3-dev
        have_h5z_zfp || want hdf5-filter-plugin-zfp-serial
        have_module hdf5-openmpi || want libhdf5-openmpi-dev
        have_command mpirun || want openmpi-bin
        have_command clang || want clang
        have_command clang-format || want clang-format
        have_clang_runtime || want libclang-rt-dev
        have_command doxygen || want doxygen
        have_command chromium || want chromium # looks at the report of ztile bench
        ;;
    docs)
        have_command doxygen || need doxygen
        ;;
    bench)
        have_header zfp.h || need libzfp-dev
        ;;
    fuzz)
        have_command clang || need clang
        have_clang_runtime || need libclang-rt-dev
        ;;
    coverage)
        have_module cmocka || need libcmocka-dev
        have_command clang || need clang
        have_clang_runtime || need libclang-rt-dev
        have_command llvm-cov || need llvm
        have_command python3 || need python3
        ;;
    esac
}

# The sanitizers' runtime is a package of its own, and of clang's own version.
have_clang_runtime() {
    have_command clang && ls "$(clang -print-resource-dir)"/lib/*/*fuzzer* >/dev/null 2>&1
}

# H5Z-ZFP, to exchange files with.
have_h5z_zfp() { ls /usr/lib/*/hdf5/serial/plugins/libh5zzfp.so >/dev/null 2>&1; }

have_python_venv() { python3 -c 'import ensurepip, venv' >/dev/null 2>&1; }

# Words of a list, without blanks at the ends.
trim() { echo $1; }

run_as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have_command sudo; then
        sudo "$@"
    else
        return 1
    fi
}

apt_install() {
    # another apt may be at work: wait for it
    run_as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
        install -y -q --no-install-recommends "$@" >"$log" 2>&1
}

install_missing() {
    have_command apt-get || return 1
    [ "${ZTILE_NO_INSTALL:-}" != 1 ] || return 1
    [ "$(id -u)" = 0 ] || have_command sudo || return 1
    log=$(mktemp) || return 1
    echo "installing with apt:$needed$optional" >&2
    # the package lists may be missing or old, so a failure is tried again after an update
    if ! apt_install $needed $optional; then
        run_as_root apt-get update -q >"$log" 2>&1
        if ! apt_install $needed $optional; then
            tail -n 3 "$log" >&2
            rm -f "$log"
            return 1
        fi
    fi
    rm -f "$log"
}

check_cmake() {
    version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
    set -- $version
    if [ "$1" -lt 3 ] || { [ "$1" -eq 3 ] && [ "$2" -lt 25 ]; }; then
        echo "ztile needs CMake 3.25 or later, this is $1.$2; install a later one" >&2
        exit 1
    fi
}

case $target in
build | docs | test | bench | fuzz | coverage) ;;
*)
    echo "use: install-deps.sh build|docs|test|bench|fuzz|coverage" >&2
    exit 2
    ;;
esac

check_missing
if [ -n "$needed$optional" ]; then
    install_missing
    check_missing
fi
if [ -n "$needed" ]; then
    echo "ztile needs these Debian packages, or what they hold, before 'make' can go on:" \
        "$(trim "$needed $optional")" >&2
    exit 1
fi
if [ -n "$optional" ]; then
    echo "parts of ztile are left out without these Debian packages: $(trim "$optional")" >&2
fi
check_cmake
