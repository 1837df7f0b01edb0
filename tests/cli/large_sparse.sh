# A raw file larger than the memory that the process may have (614 MB) goes through, slab by slab.
truncate -s 600M zeros_150x1024x1024.f32
(ulimit -v 600000 && ztile --version >/dev/null 2>&1) ||
    skip "memory cannot be limited (sanitizers)"
ulimit -v 600000
ztile compress -q zeros_150x1024x1024.f32 --abs 1e-3
ztile info zeros_150x1024x1024.f32.zt | grep format
ztile compare -q zeros_150x1024x1024.f32 zeros_150x1024x1024.f32.zt | grep -E 'different|bound'
