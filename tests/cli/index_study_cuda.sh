# The index study on a GPU: C = 1 and 2 of an array of two tiles, every layout timed. Where there is
# no CUDA or no GPU, status 5 and one sentence.
field a_4x4x8.f32 f32 4 4 8
ztile bench --index-study -x cuda a_4x4x8.f32 -o study -q >tables 2>message
code=$?
if [[ $code -eq 5 && $(wc -l <message) -eq 1 && ! -s tables ]] &&
    grep -q 'use serial or omp$' message; then
    echo "as it should be"
    exit 0
fi
cat message
head -n 1 study/index-overhead.csv | grep -q '^file,tiles,precision,chunk,layout,' || echo "no head"
# sizes as on the CPU, which does not measure C = 2
ztile bench --index-study -x serial a_4x4x8.f32 -o serial -q >/dev/null
diff <(awk -F, '$4 == 1' study/index-overhead.csv) <(awk -F, '$4 == 1' serial/index-overhead.csv)
awk -F, 'NR > 1 { n[$4 " " $5]++ } END { for (k in n) print n[k], k }' \
    study/index-throughput.csv | sort >rows
diff rows - <<'ROWS' && [[ ! -e study/index-speedup.csv ]] && echo "as it should be"
5 1 compact
5 1 hybrid
5 1 lengths
5 1 offsets
5 2 compact
5 2 hybrid
5 2 lengths
5 2 offsets
ROWS
grep -q 'decoding on the GPU with offsets' tables || cat tables
