# A range that overflows: the bound and the error relative to it are still numbers.
need python3
perl -e 'print pack "d<4", 1e308, -1e308, 1e-308, 0' >a_4.f64
for out in a.zt a.zfp; do
    ztile compress -v --rel 1e-3 a_4.f64 -o $out 2>&1 | grep -o 'abs .*'
    ztile compare --json a_4.f64 $out | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["bound_held"], 0 < d["max_rel_error"] <= 1e-3)'
done
