# A raw file larger than the memory that the process may have (819 MB) goes through, slab by slab.
truncate -s 832M zeros_208x1024x1024.f32
(ulimit -v 800000 && ztile --version >/dev/null 2>&1) ||
    skip "memory cannot be limited (sanitizers)"
ulimit -v 800000
ztile compress -q zeros_208x1024x1024.f32 --abs 1e-3
ztile info zeros_208x1024x1024.f32.zt | grep format
ztile compare -q zeros_208x1024x1024.f32 zeros_208x1024x1024.f32.zt | grep -E 'different|bound'
