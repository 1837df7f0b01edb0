# The summary goes to standard error and says what was done; -q drops it, -v adds to it. What is too
# small to be timed has no speed.
field a_9x10x11.f32 f32 9 10 11
ztile compress a_9x10x11.f32
ztile compress -v -f --rel 1e-3 a_9x10x11.f32
ztile compress -q -f --rel 1e-3 a_9x10x11.f32
ztile decompress -f a_9x10x11.f32.zt
ztile decompress -v --box 1:2,:,0:3 a_9x10x11.f32.zt -o box.f32
field big_64x64x64.f32 f32 64 64 64
ztile compress --rel 1e-3 big_64x64x64.f32
