# mean errors alone and beside a bound, limits, what info and compare say, and what is refused
need python3
field a_19x20x31.f32 f32 19 20 31
told() { python3 -c '
import json, sys
info, diff, key, most = json.load(open("info")), json.load(open("diff")), sys.argv[1], float(sys.argv[2])
scale = diff["max_abs_error"] / diff["max_rel_error"] if key.endswith("-rel") else 1
print(info["bound"], info["mean"], info["mean_value"], diff["bound_held"],
      diff[key.split("-")[0]] <= most * scale, diff[key.split("-")[0]] >= 0.98 * most * scale,
      info["within_lo"], info["within_hi"], diff["outside"])' "$@"; }
for target in 'rmse 0.3' 'rmse-rel 1e-2' 'mae 0.2' 'mae-rel 5e-3' 'mae 0.2 --abs 1' 'rmse 0.1 --rel 5e-2'; do
    set -- $target
    key=$1 most=$2
    shift 2
    ztile compress -q -f -c sz --$key $most "$@" a_19x20x31.f32 -o a.zt
    ztile info --json a.zt >info
    ztile compare --json a_19x20x31.f32 a.zt >diff
    told $key $most
done
ztile compress -f -c sz --mae 0.2 --abs 1 a_19x20x31.f32 -o a.zt 2>&1 | sed -n 's/mae 0.1[0-9]*/mae 0.1/; s/mae 0.2$/mae 0.1/; 1,2p'
ztile info a.zt | sed -n 's/reached: 0.*)/reached: 0)/; /^mean error/p'
ztile compare a_19x20x31.f32 a.zt | sed -n '/^bound/p'
# limits: of the values, refused where these are wider
ztile compress -q -f -c sz --rmse 0.3 --within -1000:1000 a_19x20x31.f32 -o a.zt
ztile info a.zt | sed -n '/^within/p'
ztile compress -q -f --lossless --within -1000: a_19x20x31.f32 -o a.zt
ztile info a.zt | sed -n '/^within/p'
status ztile compress -q -f --abs 0.1 --within 0:1 a_19x20x31.f32 -o b.zt
test -e b.zt && echo 'b.zt is there'
# on a pipe: absolute ones need no range
cat a_19x20x31.f32 | ztile compress -q -f --rmse 0.3 -c sz -t f32 -s '?x20x31' - -o p.zt
ztile compress -q -f --rmse 0.3 -c sz a_19x20x31.f32 -o a.zt
cmp a.zt p.zt
status ztile compress -q -t f32 -s '?x20x31' --mae-rel 1e-3 - -o p2.zt <a_19x20x31.f32
status ztile compress -q --rmse 1 --mae 1 a_19x20x31.f32 -o b.zt
status ztile compress -q --rmse 1 --pwrel 1e-3 a_19x20x31.f32 -o b.zt
status ztile compress -q --mae 1 a_19x20x31.f32 -o b.zfp
status ztile compress -q --abs 1 --within 0: a_19x20x31.f32 -o b.zfp
status ztile compress -q --mae -1 a_19x20x31.f32 -o b.zt
status ztile compress -q --abs 1 --within 2:1 a_19x20x31.f32 -o b.zt
status ztile compress -q --abs 1 --within 5 a_19x20x31.f32 -o b.zt
status ztile compress -q -c ndzip --rmse 1 a_19x20x31.f32 -o b.zt
