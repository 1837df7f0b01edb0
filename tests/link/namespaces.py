#!/usr/bin/env python3
"""namespaces.py: does compressing before a link gain what ztile bench --link predicts?

    namespaces.py BIN_DIR [--gbit 0.5,2] [--rounds N]

Two network namespaces of its own, joined by a pair of virtual devices whose way there is shaped by
tc's token bucket, are the link; nothing leaves them. An array of 57 MB goes over it as it is,
compressed, and compressed slab by slab, in turns: by sz with a bound, and by ndzip. The gain of
each, from the fastest of the rounds, has to be within 10 % of what is predicted for a link of that
speed less the headers of Ethernet, IP and TCP. Slab by slab that is asked for only where the link
takes twice as long as coding: elsewhere both ends and the network share this machine's processors.
Rounds go on until it holds, or end the test. Exits with 77 where namespaces or tc are refused, or
where it does not hold and the machine has more to do than processors."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PAYLOAD = 1448 / 1514  # of a full packet
BOUNDS = {"sz": 1e-5, "ndzip": 0}
SLABS = 12  # as in peer.c
MOST_TRIES = 8


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def predict(folder, field, gbit, codec):
    """The row of ztile bench --link at the speed."""
    bound = f"abs={BOUNDS[codec]}" if BOUNDS[codec] else "lossless"
    told = subprocess.run(
        [folder / "ztile", "bench", "--link", str(gbit * PAYLOAD), "--json", "-x", "serial",
         "--codecs", codec, "--bounds", bound, field],
        check=True, capture_output=True, text=True)
    return json.loads(told.stdout)["rows"][0]


def gains_of(row, slab_bytes):
    """One after another, as the row has it; pipelined with slabs, which compress to so many bytes,
    the first one's coding before and the last one's decoding after; and whether the link is what
    takes the time."""
    link = row["links"][0]
    send = link["raw_seconds"] * slab_bytes / row["raw_bytes"]
    longest = max(send, row["encode_seconds"], row["decode_seconds"])
    ends = (row["encode_seconds"] + row["decode_seconds"]) / SLABS
    return (link["raw_seconds"] / link["seconds"], link["raw_seconds"] / (longest + ends),
            send >= 2 * max(row["encode_seconds"], row["decode_seconds"]))


def measure(folder, field, codec, rounds, fastest):
    """The fastest of so many rounds more, each way; and the bytes of all slabs."""
    told = subprocess.run(
        [folder / "link_peer", "send", "10.99.0.2", "5000", field, str(BOUNDS[codec]), str(rounds)],
        check=True, capture_output=True, text=True)
    for line in told.stdout.splitlines():
        *seconds, slab_bytes = map(float, line.split())
        fastest = [min(pair) for pair in zip(fastest, seconds)]
    return fastest, slab_bytes


def confirm(folder, field, gbit, codec, rounds):
    """Whether both gains are as predicted; prints them."""
    fastest, off = [float("inf")] * 3, [1, 1]
    for _ in range(MOST_TRIES):
        row = predict(folder, field, gbit, codec)
        fastest, slab_bytes = measure(folder, field, codec, rounds, fastest)
        serial, pipelined, is_link = gains_of(row, slab_bytes)
        gains = fastest[0] / fastest[1], fastest[0] / fastest[2]
        off = gains[0] / serial - 1, gains[1] / pipelined - 1
        holds = max(map(abs, off if is_link else off[:1])) <= 0.1
        if holds:
            break
    print(f"{codec}, {gbit:g} Gbit/s, ratio {row['raw_bytes'] / row['bytes']:.2f}: "
          f"raw {fastest[0]:.3f} s, one after another {fastest[1]:.3f} s, "
          f"pipelined {fastest[2]:.3f} s")
    for name, gain, wanted, by in zip(("one after another", "pipelined"), gains,
                                      (serial, pipelined), off):
        print(f"    {name}: gain {gain:.2f}, predicted {wanted:.2f} ({100 * by:+.1f} %)")
    return holds


def ip(*words):
    for _ in range(50):  # the other namespace may not be there yet
        done = subprocess.run(["ip", *words], capture_output=True, text=True)
        if done.returncode == 0:
            return
        time.sleep(0.05)
    skip(f"ip {' '.join(words)}: {done.stderr.strip()}")


def inside(folder, speeds, rounds):
    """In a namespace of our own: make the other one and the link, and measure."""
    there = ("read x && ip addr add 10.99.0.2/24 dev there && ip link set there up && "
             f"exec {folder}/link_peer receive 5000")
    with tempfile.TemporaryDirectory() as scratch:
        field = os.path.join(scratch, "field_96x384x384.f32")
        subprocess.run([folder / "link_peer", "make", field], check=True)
        receiver = subprocess.Popen(["unshare", "-n", "sh", "-c", there], stdin=subprocess.PIPE)
        try:
            time.sleep(0.2)  # until it has left our namespace
            ip("link", "add", "here", "type", "veth", "peer", "name", "there")
            ip("link", "set", "there", "netns", str(receiver.pid))
            ip("addr", "add", "10.99.0.1/24", "dev", "here")
            ip("link", "set", "here", "up")
            receiver.stdin.write(b"go\n")
            receiver.stdin.close()
            confirmed = []
            for gbit in speeds:
                done = subprocess.run(
                    ["tc", "qdisc", "replace", "dev", "here", "root", "tbf", "rate",
                     f"{gbit * 1000:g}mbit", "burst", "128kb", "limit", "8mb"],
                    capture_output=True, text=True)
                if done.returncode:
                    skip(f"tc: {done.stderr.strip()}")
                confirmed += [confirm(folder, field, gbit, codec, rounds) for codec in BOUNDS]
        finally:
            receiver.kill()
            receiver.wait()
    if not all(confirmed) and os.getloadavg()[0] > os.cpu_count():
        skip(f"the load is {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return 0 if all(confirmed) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--gbit", default="0.5,2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if options.inside:
        return inside(folder, [float(g) for g in options.gbit.split(",")], options.rounds)
    for word in "ip", "tc", "unshare":
        if not shutil.which(word, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            skip(f"there is no {word} (Debian packages iproute2, util-linux)")
    os.environ["PATH"] = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    if subprocess.run(["unshare", "-r", "-n", "true"], capture_output=True).returncode:
        skip("namespaces are refused")
    return subprocess.run(["unshare", "-r", "-n", sys.executable, *sys.argv, "--inside"]).returncode


if __name__ == "__main__":
    sys.exit(main())
