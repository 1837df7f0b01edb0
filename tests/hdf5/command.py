"""The command as the tests of whole files run it, and what they find wrong."""
import os
import subprocess

failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("not so:", what)


def run(ztile, *words):
    """Without the plug-ins' variable."""
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    return subprocess.run([ztile, *words], capture_output=True, text=True, env=environment)
