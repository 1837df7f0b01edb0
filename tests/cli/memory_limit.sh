# What would take more memory than the limit ends with one sentence: an array of the command's, or
# what the library needs.
head -c 400000 /dev/zero >a_100x1000.f32
for limit in 300K 12M 2G; do
    ztile compress -q -x serial a_100x1000.f32 --lossless -f --memory-limit $limit
    echo "compress $limit: $?"
done
ztile decompress -q -x serial a_100x1000.f32.zt -o b.f32 --memory-limit 300K
echo "decompress: $?"
ztile info a_100x1000.f32.zt --memory-limit 0
echo "info: $?"
