#!/usr/bin/env python3
"""GPU compressors of others, measured from device memory to device memory, to stand beside the
table of `ztile-gpu-check --bench`.

    gpu_peers.py --build NAME=SOURCE ... --programs FOLDER [--arch SM]
    gpu_peers.py [--programs FOLDER] [--nvcomp FOLDER | --no-nvcomp] [--made MIB]
        [--field FILE:TYPE:SHAPE ...] [--bounds 1e-3,1e-4] [--abs 4e-4] [--rate 8]
        [--only PATTERN] [--seconds S] [--out FILE]

The first form compiles the peers from source trees with nvcc, one program each, and needs no GPU:

    cuszp       github.com/szcompressor/cuSZp
    zfp         github.com/LLNL/zfp, 1.0.1
    ndzip       github.com/celerity/ndzip; its contrib/mpc and contrib/gfc give MPC and GFC
    pfpl        github.com/burtscher/PFPL
    fz_gpu      github.com/szcompressor/FZ-GPU
    fpcompress  github.com/burtscher/FPcompress: SPspeed, SPratio and DPspeed
    cusz        github.com/szcompressor/cuSZ, with its static libraries built in SOURCE/b

The second form measures. Fields are raw files, as FILE:f32:384,384,384 with the slowest axis first,
and with --made the cubes of about MIB MiB in f32 and f64 that ztile-gpu-check takes. --bounds are
parts of a field's range and --abs are not; each peer gets the absolute bound. nvCOMP is measured
where its Python module is found or --nvcomp names the folder that holds it. It needs CuPy.

Prints tab-separated lines: peer, field, setting, ratio, GB/s of raw bytes compressed and
decompressed, and "same" where the bytes came back. Otherwise the last column is the largest error:
where there is a bound in units of it, with "holds" or "broken", else as a part of the range.

A speed is the median of 11 runs between two CUDA events after a warm-up, in buffers made before;
what a peer allocates in a call counts. PFPL times 9 runs itself, MPC and GFC time their kernels,
and nvCOMP has 5 to 11 runs. No peer starts after S seconds. Peers that fail are named at the end
with the reason.

Needs Python 3.9 and, to measure, numpy."""
import argparse
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:  # it is not needed to build
    np = None

HERE = os.path.dirname(os.path.abspath(__file__))
DRIVERS = os.path.join(HERE, "gpu_peers")


# ---- building ----


def nvcc(arch, *args):
    subprocess.run([os.environ.get("NVCC", "nvcc"), "-O3", "-w", "-cudart", "static", *arch, *args],
                   check=True)


def build(name, source, programs, sm):
    """Compile one peer. sm is a number such as 90."""
    source = os.path.abspath(source)
    native = [f"-arch=sm_{sm}", "-std=c++17", f"-I{DRIVERS}"]

    def at(*parts):
        return os.path.join(source, *parts)

    def made(program):
        return os.path.join(programs, program)

    def driver(program):
        return os.path.join(DRIVERS, program + ".cu")

    with tempfile.TemporaryDirectory() as tmp:
        if name == "cuszp":
            nvcc(native, f"-I{at('include')}", f"-I{at('include', 'cuSZp')}", driver(name),
                 *sorted(glob.glob(at("src", "*.cu"))), "-o", made(name))
        elif name == "zfp":
            objects = []
            for c in sorted(glob.glob(at("src", "*.c"))):
                objects.append(os.path.join(tmp, os.path.basename(c) + ".o"))
                subprocess.run(["cc", "-O2", "-std=c99", "-DNDEBUG", "-DZFP_WITH_CUDA",
                                f"-I{at('include')}", "-c", c, "-o", objects[-1]], check=True)
            nvcc(native, f"-I{at('include')}", driver(name), at("src", "cuda_zfp", "cuZFP.cu"),
                 *objects, "-o", made(name))
        elif name == "ndzip":
            flags = ["-DNDEBUG", "--extended-lambda", "--expt-relaxed-constexpr",
                     f"-I{at('include')}", f"-I{at('src')}", "-DNDZIP_CUDA_SUPPORT=1",
                     "-DNDZIP_HIPSYCL_SUPPORT=0", "-DNDZIP_OPENMP_SUPPORT=0"]
            common = os.path.join(tmp, "common.o")
            subprocess.run(["c++", "-O2", "-std=c++17", "-DNDEBUG", f"-I{at('include')}", "-c",
                            at("src", "ndzip", "common.cc"), "-o", common], check=True)
            units = [driver(name), common, at("src", "ndzip", "cuda_factory.cu")]
            for value in ("float", "double"):
                for rank in (1, 2, 3):
                    units.append(os.path.join(tmp, f"{value}{rank}.cu"))
                    with open(units[-1], "w") as f:
                        f.write(f"#define DATA_TYPE {value}\n#define DIMENSIONS {rank}\n"
                                "#define SPLIT_CONFIGURATION_cuda_encoder\n"
                                '#include "ndzip/cuda_codec.inl"\n')
            nvcc(native, *flags, *units, "-o", made(name))
            # MPC refuses architectures after 8.6 and, as GFC, the C++ standard after 14; GFC reads
            # a member of cudaDeviceProp that CUDA 13 has not, to choose among devices.
            mpc, gfc = at("contrib", "mpc"), at("contrib", "gfc")
            nvcc(["-gencode", f"arch=compute_80,code=sm_{sm}", "-std=c++14", f"-I{DRIVERS}"],
                 "-DclockRate=maxThreadsPerBlock", f"-I{mpc}", f"-I{gfc}", driver("mpc_gfc"),
                 *sorted(glob.glob(os.path.join(mpc, "*.cu"))), os.path.join(gfc, "GFC_22.cu"),
                 "-o", made("mpc_gfc"))
        elif name == "pfpl":
            for value in ("f32", "f64"):
                for part in ("comp", "decomp"):
                    nvcc(native, "-fmad=false", "-Xcompiler", "-mno-fma,-ffp-contract=off",
                         f"-I{at('src')}", at("src", f"{value}_abs_{part}_gpu.cu"), "-o",
                         made(f"pfpl_{value}_{part}"))
        elif name == "fz_gpu":
            nvcc(native, "--extended-lambda", f"-I{source}", f"-I{at('include')}", driver(name),
                 "-o", made(name))
        elif name == "fpcompress":
            for program, value, kind in (("SPspeed", "single", "speed"),
                                         ("SPratio", "single", "ratio"),
                                         ("DPspeed", "double", "speed")):
                objects = []
                for part in ("", "de"):
                    unit = at(f"{value}_src", f"{kind}-{part}compressor-{value}.cu")
                    word = "DECODER" if part else "ENCODER"
                    objects.append(os.path.join(tmp, program + word + ".o"))
                    nvcc(native, "-fmad=false", f"-I{source}", f'-DFPCOMPRESS_{word}="{unit}"',
                         "-c", driver(name), "-o", objects[-1])
                nvcc(native, driver(name), *objects, "-o", made(program))
        elif name == "cusz":
            libraries = sorted(glob.glob(at("b", "*.a")) + glob.glob(at("b", "*", "*.a")) +
                               glob.glob(at("b", "*", "*", "*.a")))
            # Functions that print versions want libcuda and NVML. They are not called.
            absent = ["cuInit", "cuDeviceGetCount", "cuDriverGetVersion", "cuGetErrorString",
                      "nvmlInit", "nvmlShutdown", "nvmlErrorString", "nvmlSystemGetDriverVersion"]
            linker = [f"--defsym={symbol}=main" for symbol in absent]
            linker += ["--start-group", *libraries, "--end-group"]
            nvcc(native, f"-I{at('psz', 'include')}", f"-I{at('portable', 'include')}",
                 "-DPSZ_USE_CUDA", "-D_PORTABLE_USE_CUDA", driver(name),
                 *(word for flag in linker for word in ("-Xlinker", flag)), "-o", made(name))
        else:
            raise ValueError(f"no peer is called {name}")


# ---- fields ----


class Field:
    """A raw file and what a table says of it."""

    def __init__(self, path, kind, shape, name=None):
        self.path, self.kind, self.shape = path, kind, shape
        self.name = name or os.path.basename(path)
        self.values = np.fromfile(path, {"f32": "<f4", "f64": "<f8"}[kind])
        if self.values.size != int(np.prod(shape)):
            raise ValueError(f"{path} holds {self.values.size} values, not {shape}")
        self.range = float(self.values.max()) - float(self.values.min())

    def bound_of(self, kind, number):
        """An absolute bound, rounded down to a number of 32 bits: some peers take no other."""
        exact = float(number) * (self.range if kind == "rel" else 1)
        bound = np.float32(exact)
        return float(bound if bound <= exact else np.nextafter(bound, np.float32(0)))

    def verdict(self, decoded, bound):
        """What the last column says. bound is absolute, 0 for none."""
        if np.array_equal(self.values.view("u1"), decoded.view("u1")):
            return "same"
        worst = 0.0
        for i in range(0, self.values.size, 1 << 24):  # in pieces: doubles take room
            part = slice(i, i + (1 << 24))
            worst = max(worst, float(np.max(np.abs(self.values[part].astype("f8") -
                                                   decoded[part].astype("f8")))))
        if bound > 0:
            return f"{worst / bound:.5f} {'holds' if worst <= bound else 'broken'}"
        return f"{worst / self.range if self.range else worst:.3e} of the range"


class Random:
    """struct rng of tests/support (SplitMix64)."""

    STEP, MASK = 0x9E3779B97F4A7C15, 2**64 - 1

    def __init__(self, seed):
        self.state = seed

    def numbers(self, first, step, count):
        """The numbers first, first + step, ... from here on, as 64-bit words."""
        start = (self.state + (first + 1) * self.STEP) & self.MASK
        z = np.arange(count, dtype="u8")
        z *= np.uint64((step * self.STEP) & self.MASK)
        z += np.uint64(start)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    def next(self):
        z = int(self.numbers(0, 1, 1)[0])
        self.state = (self.state + self.STEP) & self.MASK
        return z

    def below(self, n):
        return self.next() % n

    def unit(self):
        return (self.next() >> 11) * 2.0**-53


def make_field(folder, kind, mib):
    """A cube of a wave and 1 % of noise: fill_array(DATA_WAVE_NOISE, 1) of tests/support."""
    size, top = (4, 100) if kind == "f32" else (8, 900)
    side = max(int((mib * 2**20 // size) ** (1 / 3)) // 64 * 64, 16)
    r = Random(1)
    low = -top if r.below(3) == 0 else -8
    high = top if r.below(3) == 0 else 20
    exponent = low + r.below(high - low + 1)
    scale = (1 + r.unit()) * 2.0**exponent
    frequency = []
    for _ in range(4):
        unit = r.unit()
        frequency.append(unit * (2.0 if r.below(3) == 0 else 0.2))
    for _ in range(3):
        r.next()
    path = os.path.join(folder, f"wave_{kind}_{side}")
    at = np.arange(side)
    with open(path, "wb") as f:
        for z in range(side):
            phase = (0.3 + frequency[0] * z + frequency[1] * at[:, None]) + frequency[2] * at
            noise = r.numbers(2 * z * side * side, 2, side * side) >> np.uint64(11)
            noise = 2 * (noise * 2.0**-53).reshape(side, side) - 1
            (scale * (np.sin(phase) + 0.01 * noise)).astype("<f" + str(size)).tofile(f)
    return Field(path, kind, (side, side, side))


# ---- measuring ----


class Table:
    """The lines, printed as they come."""

    def __init__(self, path, seconds, only):
        self.file = open(path, "w") if path else None
        self.only, self.until = only, time.monotonic() + seconds
        self.failures = []
        self.line("peer", "field", "setting", "ratio", "compress_GB/s", "decompress_GB/s", "check")

    def line(self, *columns):
        text = "\t".join(columns)
        print(text, flush=True)
        if self.file:
            print(text, file=self.file, flush=True)

    def try_peer(self, peer, field, setting, bound, run):
        """run() gives stream bytes, seconds to compress and to decompress, and the values."""
        if self.only and not re.search(self.only, f"{peer} {field.name} {setting}"):
            return
        if time.monotonic() > self.until:
            self.failures.append(f"{peer} {field.name} {setting}: no time left")
            return
        try:
            stream, compress, decompress, decoded = run()
            raw = field.values.nbytes
            speeds = (f"{raw / seconds / 1e9:.1f}" for seconds in (compress, decompress))
            self.line(peer, field.name, setting, f"{raw / stream:.3f}", *speeds,
                      field.verdict(decoded, bound))
        except Exception as e:  # a peer that fails must not take the others with it
            reason = " ".join(str(e).split())[-300:]
            self.failures.append(f"{peer} {field.name} {setting}: {type(e).__name__} {reason}")

    def end(self):
        for failure in self.failures:
            self.line("# failed: " + failure)


def output_of(command):
    """What a program prints. CUDA loads its kernels before the first launch, not in it."""
    env = dict(os.environ, CUDA_MODULE_LOADING="EAGER")
    run = subprocess.run(command, capture_output=True, text=True, timeout=25, env=env)
    if run.returncode != 0:
        raise RuntimeError(f"exit {run.returncode} {run.stderr[-200:]} {run.stdout[-80:]}")
    return run.stdout


def run_driver(program, field, bound, setting, folder):
    """A program of gpu_peers/."""
    out = os.path.join(folder, "decoded")
    text = output_of([program, field.path, field.kind, ",".join(map(str, field.shape)),
                      repr(bound), setting, out])
    stream, compress, decompress = re.search(r"^result (\S+) (\S+) (\S+)$", text, re.M).groups()
    return int(stream), float(compress), float(decompress), np.fromfile(out, field.values.dtype)


def run_pfpl(programs, field, bound, folder):
    """PFPL's own programs. They measure as drivers do."""
    packed, out = os.path.join(folder, "packed"), os.path.join(folder, "decoded")
    seconds = []
    for part, args in (("comp", [field.path, packed, repr(bound)]), ("decomp", [packed, out])):
        text = output_of([os.path.join(programs, f"pfpl_{field.kind}_{part}"), *args])
        times = [float(t) for t in re.findall(r"ecltime,\s*(\S+)", text)]
        seconds.append(statistics.median(times))
    return os.path.getsize(packed), *seconds, np.fromfile(out, field.values.dtype)


def measure_programs(table, programs, field, bounds, rate, folder):
    def driver(program, setting, bound, name=None, label=None):
        path = os.path.join(programs, program)
        if os.path.exists(path):
            table.try_peer(name or program, field, label or setting,
                           0 if program == "zfp" else bound,
                           lambda: run_driver(path, field, bound, setting, folder))

    f64 = field.kind == "f64"
    driver("ndzip", "lossless", 0)
    for program in ["DPspeed"] if f64 else ["SPspeed", "SPratio"]:
        driver(program, "lossless", 0)
    driver("mpc_gfc", "mpc-1", 0, "MPC")
    if f64:
        driver("mpc_gfc", "gfc-132-16-1", 0, "GFC")
    driver("zfp", "rate", rate, "cuZFP", f"rate {rate:g}")
    for kind, number in bounds:
        bound, label = field.bound_of(kind, number), f"{kind} {number}"
        for setting in ("plain-3", "outlier-3", "plain-1", "outlier-1"):
            if setting.endswith("1") or len(field.shape) == 3:
                driver("cuszp", setting, bound, "cuSZp", f"{label} {setting}")
        if os.path.exists(os.path.join(programs, f"pfpl_{field.kind}_comp")):
            table.try_peer("PFPL", field, label, bound,
                           lambda b=bound: run_pfpl(programs, field, b, folder))
        if not f64:
            driver("fz_gpu", "lorenzo", bound, "FZ-GPU", label)
        for setting in ("lorenzo",) if f64 or len(field.shape) < 3 else ("lorenzo", "spline"):
            driver("cusz", setting, bound, "cuSZ", f"{label} {setting}")


def nvcomp_settings(nvcomp, kind):
    """Names and the arguments of Codec, by what suits the values: Bitcomp knows floats, Cascaded
    integers of their size, LZ4 and ANS have a mode for floats of 32 bits."""
    word, number = ("<i8", "<f8") if kind == "f64" else ("<i4", "<f4")
    for chunk in (1 << 16, 1 << 18):
        yield ("Bitcomp", f"{number} chunk {chunk >> 10}K",
               dict(data_type=number, uncomp_chunk_size=chunk))
    yield ("Bitcomp", f"{number} latency",
           dict(data_type=number, execution_policy=nvcomp.ExecutionPolicy.LATENCY))
    yield "Bitcomp", word, dict(data_type=word)
    for level in (3, 7):
        yield "Cascaded", f"{word} level {level}", dict(data_type=word, compression_level=level)
    yield ("Cascaded", f"{word} symmetric",
           dict(data_type=word, mode=nvcomp.CascadedMode.SYMMETRIC))
    yield "ANS", "|u1", dict(data_type="|u1")
    if kind == "f32":
        yield "ANS", number, dict(data_type=number)
    yield "LZ4", "<i4", dict(data_type="<i4")
    yield "LZ4", f"{word} bitshuffle", dict(
        data_type=word, bitshuffle_mode=nvcomp.BitshuffleMode.NVCOMP_BITSHUFFLE_MSB_FIRST)
    yield "Snappy", "", {}
    yield "GDeflate", "entropy only", dict(algorithm_type=0)
    yield "GDeflate", "default", dict(algorithm_type=1)
    yield "Deflate", "default", dict(algorithm_type=1)
    yield "Zstd", "", {}


def nvcomp_once(cp, nvcomp, field, algorithm, options):
    """One codec on one field, with buffers and configurations made before: no call waits."""
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        values = cp.asarray(field.values.view("u1"))
        stream.synchronize()
        source = nvcomp.as_array(values, stream.ptr)
        codec = nvcomp.Codec(algorithm=algorithm, cuda_stream=stream.ptr, **options)
        packing = codec.compression_config(values.nbytes)
        unpacking = codec.decompression_config(packing)
        stream_bytes = int(codec.encode(source).buffer_size)
        packed = cp.empty(int(codec.get_max_comp_buffer_size(source)), "u1")
        decoded = cp.zeros(values.nbytes, "u1")
        stream.synchronize()

        def median(run):
            times, until = [], time.monotonic() + 1.0
            for i in range(12):
                if i > 5 and time.monotonic() > until:
                    break
                begin, end = cp.cuda.Event(), cp.cuda.Event()
                begin.record(stream)
                run()
                end.record(stream)
                end.synchronize()
                if i > 0:
                    times.append(1e-3 * cp.cuda.get_elapsed_time(begin, end))
            return statistics.median(times)

        compress = median(lambda: codec.encode(source, packed, packing))
        tight = nvcomp.as_array(packed[:stream_bytes], stream.ptr)
        decompress = median(lambda: codec.decode(tight, "|u1", decoded, unpacking))
        stream.synchronize()
        back = cp.asnumpy(decoded, stream=stream)
    return stream_bytes, compress, decompress, back


def measure_nvcomp(table, folder, field):
    try:
        import cupy as cp
        if folder and folder not in sys.path:
            sys.path.insert(0, folder)
            import nvidia  # other packages are in this one, and it may not look in our folder
            if os.path.join(folder, "nvidia") not in list(nvidia.__path__):
                nvidia.__path__.append(os.path.join(folder, "nvidia"))
        from nvidia import nvcomp
    except Exception as e:
        table.failures.append(f"nvCOMP {field.name}: {type(e).__name__} {e}")
        return
    for algorithm, label, options in nvcomp_settings(nvcomp, field.kind):
        table.try_peer(f"nvCOMP {algorithm}", field, label or "default", 0,
                       lambda: nvcomp_once(cp, nvcomp, field, algorithm, options))
    cp.get_default_memory_pool().free_all_blocks()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="append", default=[], metavar="NAME=SOURCE")
    parser.add_argument("--arch", type=int, default=90)
    parser.add_argument("--programs", default="gpu-peers")
    parser.add_argument("--nvcomp", metavar="FOLDER")
    parser.add_argument("--no-nvcomp", action="store_true")
    parser.add_argument("--made", type=float, default=0, metavar="MIB")
    parser.add_argument("--field", action="append", default=[], metavar="FILE:TYPE:SHAPE")
    parser.add_argument("--bounds", default="1e-3")
    parser.add_argument("--abs", default="", metavar="BOUNDS")
    parser.add_argument("--rate", type=float, default=8)
    parser.add_argument("--only", metavar="PATTERN")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--out", metavar="FILE")
    args = parser.parse_args()
    if args.build:
        os.makedirs(args.programs, exist_ok=True)
        for item in args.build:
            name, source = item.split("=", 1)
            try:
                build(name, source, args.programs, args.arch)
            except (OSError, ValueError, subprocess.CalledProcessError) as e:
                print(f"{name}: {e}", file=sys.stderr)
        return
    bounds = [("rel", b) for b in args.bounds.split(",") if b]
    bounds += [("abs", b) for b in args.abs.split(",") if b]
    table = Table(args.out, args.seconds, args.only)
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        sources = [lambda item=item: Field(*item[:2], tuple(map(int, item[2].split(","))))
                   for item in (text.rsplit(":", 2) for text in args.field)]
        if args.made:
            sources += [lambda kind=kind: make_field(folder, kind, args.made)
                        for kind in ("f32", "f64")]
        for source in sources:
            field = source()
            measure_programs(table, args.programs, field, bounds, args.rate, folder)
            if not args.no_nvcomp:
                measure_nvcomp(table, args.nvcomp, field)
    table.end()


if __name__ == "__main__":
    main()
