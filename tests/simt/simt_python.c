/* simt_python.c: what python/tests/gpu asks of the test device, exported from Python's module. */
#include "simt_device.h"
#include "simt_runtime.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *test_device_take(size_t bytes);
EXPORTED void test_device_give(void *memory);
EXPORTED void test_device_move(void *to, const void *from, size_t bytes);
EXPORTED void test_device_seed(uint64_t seed);

void *test_device_take(size_t bytes)
{
    return simt_device_take(bytes);
}

void test_device_give(void *memory)
{
    simt_device_give(memory);
}

void test_device_move(void *to, const void *from, size_t bytes)
{
    simt_device_move(to, from, bytes);
}

void test_device_seed(uint64_t seed)
{
    simt_opt.seed = seed;
}
