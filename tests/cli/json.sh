# --json is JSON and has the keys that scripts rely on.
need python3
field a_9x10x11.f32 f32 9 10 11
ztile compress -q -c zfp --plan off --abs 0.5 a_9x10x11.f32
ztile compress -q --rate 8 a_9x10x11.f32 -o a.zfp
for file in a_9x10x11.f32.zt a.zfp; do
    ztile info --json --check $file | python3 -c '
import json, sys
d = json.load(sys.stdin)
for key in ("format_version codec type shape bound bound_value abs_bound raw_bytes stream_bytes "
            "file_bytes ratio effective_ratio").split():
    print(key, "number" if key in ("stream_bytes", "file_bytes", "ratio", "effective_ratio")
          and d[key] > 0 else d[key])
print(sorted(d["index"].items()))'
    ztile compare --json a_9x10x11.f32 $file | python3 -c '
import json, sys
d = json.load(sys.stdin)
for key in ("max_abs_error max_rel_error max_pwrel_error rmse psnr ratio bits_per_value").split():
    assert d[key] > 0, key
for key in "bound_held identical special_changed".split():
    print(key, d[key])'
done
ztile compress -q -f a_9x10x11.f32
ztile compare --json a_9x10x11.f32 a_9x10x11.f32.zt | python3 -c '
import json, sys
d = json.load(sys.stdin)
print(d["psnr"], d["bound_held"], d["identical"])'
