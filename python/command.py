#!python
# The command 'ztile' of an installed package: run the program in the package's folder.
import importlib.util
import os
import sys

package = importlib.util.find_spec("ztile")
if package is None or not package.submodule_search_locations:
    sys.exit("ztile: this Python has no package ztile; install it again: pip install ztile")
program = os.path.join(package.submodule_search_locations[0], "lib", "ztile")
os.execv(program, ["ztile", *sys.argv[1:]])
