/* support.c: random arrays and other tools of the tests, see support.h. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PATTERN = 0xb7 };

uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    return rng_next(r) % n;
}

double rng_unit(struct rng *r)
{
    return ldexp((double)(rng_next(r) >> 11), -53);
}

bool rng_once_in(struct rng *r, uint64_t n)
{
    return rng_below(r, n) == 0;
}

uint64_t mix64(uint64_t a, uint64_t b)
{
    struct rng r = {a};
    uint64_t first = rng_next(&r);
    r.state = first ^ b;
    return rng_next(&r);
}

uint64_t seed_of_today(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return mix64((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec, (uint64_t)getpid());
}

bool take_case_option(const char *name, const char *value, struct case_range *range)
{
    const uint64_t n = strtoull(value, NULL, 0);
    if (strcmp(name, "--seed") == 0)
        range->seed = n;
    else if (strcmp(name, "--cases") == 0)
        range->cases = n;
    else if (strcmp(name, "--only") == 0)
        *range = (struct case_range){range->seed, n, n + 1};
    else
        return false;
    return true;
}

uint64_t fnv1a64(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * UINT64_C(0x100000001b3);
    return h;
}

void *need(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

/* ---- values ---- */

const char *data_kind_name(enum data_kind kind)
{
    static const char *const names[DATA_KINDS] = {
        "smooth", "ramp",   "noise",     "wave-noise", "sparse", "constant",
        "zeros",  "wide",   "extreme",   "denormal",   "bits",   "few-bits",
        "spike",  "offset", "nonfinite", "any-bits",   "steps"};
    return (unsigned)kind < DATA_KINDS ? names[kind] : "?";
}

bool data_kind_is_nonfinite(enum data_kind kind)
{
    return kind == DATA_NONFINITE || kind == DATA_ANY_BITS;
}

/* What all values of one array have in common. */
struct flavour {
    enum data_kind kind;
    uint32_t type;
    double scale; /* of the values */
    double frequency[ZT_MAX_RANK];
    double constant;
    uint64_t spike_at;
    unsigned low_bits; /* DATA_FEW_BITS: how many trailing bits are zero */
};

static double wave(const struct flavour *f, uint32_t rank, const uint64_t *at)
{
    double phase = 0.3;
    for (uint32_t i = 0; i < rank; i++)
        phase += f->frequency[i] * (double)at[i];
    return sin(phase);
}

static double line(const struct flavour *f, uint32_t rank, const uint64_t *at)
{
    double v = f->constant;
    for (uint32_t i = 0; i < rank; i++)
        v += f->frequency[i] * (double)at[i];
    return v;
}

static double bits_to_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static float bits_to_float(uint32_t bits)
{
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* A value of the common kinds, within about [-scale, scale]. */
static double plain_value(const struct flavour *f, struct rng *r, uint32_t rank, const uint64_t *at,
                          uint64_t number)
{
    double noise = 2 * rng_unit(r) - 1;
    switch (f->kind) {
    case DATA_SMOOTH: return f->scale * wave(f, rank, at);
    case DATA_RAMP: return f->scale * line(f, rank, at);
    case DATA_WAVE_NOISE: return f->scale * (wave(f, rank, at) + 0.01 * noise);
    case DATA_SPARSE: return rng_once_in(r, 12) ? f->scale * noise : 0;
    case DATA_CONSTANT: return f->scale * f->constant;
    case DATA_ZEROS: return rng_once_in(r, 16) ? -0.0 : 0.0;
    case DATA_OFFSET: return f->scale * (f->constant + 1e-4 * noise);
    case DATA_STEPS: return f->scale * ldexp(1, -3 * (int)(mix64(number / 37, f->spike_at) % 6));
    case DATA_SPIKE: return number == f->spike_at ? f->scale : f->scale * 1e-5 * noise;
    default: return f->scale * noise;
    }
}

/* A finite double of the kinds that are made of bits; 'width' is 24 or 53. */
static uint64_t special_f64(const struct flavour *f, struct rng *r, double plain)
{
    uint64_t bits = rng_next(r);
    uint64_t sign = bits & UINT64_C(1) << 63;
    double v = plain;
    switch (f->kind) {
    case DATA_WIDE: v = ldexp(plain / f->scale, (int)rng_below(r, 2040) - 1030); break;
    case DATA_EXTREME:
        bits = sign | UINT64_C(0x7fe) << 52 | (bits & ((UINT64_C(1) << 52) - 1));
        return bits - (rng_below(r, 3) << 52);
    case DATA_DENORMAL: return sign | (bits & ((UINT64_C(1) << (1 + rng_below(r, 54))) - 1));
    case DATA_FEW_BITS: memcpy(&bits, &v, sizeof bits); return bits >> f->low_bits << f->low_bits;
    case DATA_NONFINITE:
        v = rng_once_in(r, 9) ? (rng_once_in(r, 2) ? NAN : copysign(INFINITY, plain)) : plain;
        break;
    case DATA_ANY_BITS: return bits;
    case DATA_BITS: return (bits >> 52 & 0x7ff) == 0x7ff ? bits ^ UINT64_C(1) << 62 : bits;
    default: break;
    }
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static uint32_t special_f32(const struct flavour *f, struct rng *r, double plain)
{
    uint32_t bits = (uint32_t)rng_next(r);
    uint32_t sign = bits & 1u << 31;
    float v = (float)plain;
    switch (f->kind) {
    case DATA_WIDE: v = ldexpf((float)(plain / f->scale), (int)rng_below(r, 270) - 145); break;
    case DATA_EXTREME:
        bits = sign | 0xfeu << 23 | (bits & 0x7fffff);
        return bits - ((uint32_t)rng_below(r, 3) << 23);
    case DATA_DENORMAL: return sign | (bits & ((1u << (1 + rng_below(r, 25))) - 1));
    case DATA_FEW_BITS: memcpy(&bits, &v, sizeof bits); return bits >> f->low_bits << f->low_bits;
    case DATA_NONFINITE:
        v = rng_once_in(r, 9) ? (rng_once_in(r, 2) ? NAN : copysignf(INFINITY, v)) : v;
        break;
    case DATA_ANY_BITS: return bits;
    case DATA_BITS: return (bits >> 23 & 0xff) == 0xff ? bits ^ 1u << 30 : bits;
    default: break;
    }
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* An integer of 'width' bits, sign-extended. */
static int64_t special_int(const struct flavour *f, struct rng *r, double plain, unsigned width)
{
    uint64_t bits = rng_next(r);
    int64_t most = width == 32 ? INT32_MAX : INT64_MAX;
    int64_t v;
    switch (f->kind) {
    case DATA_WIDE: v = (int64_t)bits >> (64 - width + rng_below(r, width)); return v;
    case DATA_EXTREME: v = most - (int64_t)(bits % 3); return bits >> 63 ? -v - 1 : v;
    case DATA_OFFSET: /* about +-2^(width - 2) */
        v = (most >> 1) + (int64_t)(bits % 1000);
        return f->constant < 0 ? -v : v;
    case DATA_DENORMAL: return (int64_t)(bits % 3) - 1;
    case DATA_BITS:
    case DATA_NONFINITE:
    case DATA_ANY_BITS: return (int64_t)bits >> (64 - width);
    default: v = (int64_t)plain; break;
    }
    if (f->kind == DATA_FEW_BITS)
        v = (int64_t)((uint64_t)v >> f->low_bits << f->low_bits);
    return v;
}

static void put_element(const struct flavour *f, struct rng *r, void *to, uint32_t rank,
                        const uint64_t *at, uint64_t number)
{
    double plain = plain_value(f, r, rank, at, number);
    switch (f->type) {
    case ZT_F32: {
        float v = bits_to_float(special_f32(f, r, plain));
        memcpy(to, &v, sizeof v);
        break;
    }
    case ZT_F64: {
        double v = bits_to_double(special_f64(f, r, plain));
        memcpy(to, &v, sizeof v);
        break;
    }
    case ZT_I32: {
        int32_t v = (int32_t)special_int(f, r, plain, 32);
        memcpy(to, &v, sizeof v);
        break;
    }
    default: {
        int64_t v = special_int(f, r, plain, 64);
        memcpy(to, &v, sizeof v);
        break;
    }
    }
}

/* The largest power of two that the plain kinds are scaled by. Ramps grow to 2 x 4 axes x the
 * longest extent times that, and must stay below 2^63 for integers and finite for floats. */
static int largest_exponent(uint32_t type)
{
    return type == ZT_F32 ? 100 : type == ZT_F64 ? 900 : type == ZT_I32 ? 24 : 38;
}

static struct flavour flavour_of(const zt_array *array, enum data_kind kind, struct rng *r)
{
    struct flavour f = {.kind = kind, .type = array->type};
    int top = largest_exponent(array->type);
    bool is_float = array->type == ZT_F32 || array->type == ZT_F64;
    int low = is_float ? (rng_once_in(r, 3) ? -top : -8) : 0;
    int high = rng_once_in(r, 3) ? top : top < 20 ? top : 20;
    int exponent = low + (int)rng_below(r, (uint64_t)(high - low + 1));
    f.scale = ldexp(1 + rng_unit(r), exponent);
    for (int i = 0; i < ZT_MAX_RANK; i++)
        f.frequency[i] = rng_unit(r) * (rng_once_in(r, 3) ? 2.0 : 0.2);
    f.constant = 2 * rng_unit(r) - 1;
    f.spike_at = rng_below(r, values_of(array->rank, array->shape));
    f.low_bits = (unsigned)rng_below(r, zt_type_bytes(array->type) == 4 ? 23 : 52);
    return f;
}

/* ---- arrays ---- */

uint64_t values_of(uint32_t rank, const uint64_t *shape)
{
    uint64_t n = 1;
    for (uint32_t i = 0; i < rank; i++)
        n *= shape[i];
    return n;
}

/* Elements from the lowest to the highest place of an array, both included; *lowest is the place
 * of the lowest one as seen from element (0, ..., 0): 0 or negative. */
int64_t reach_of(uint32_t rank, const uint64_t *shape, const int64_t *stride, int64_t *lowest)
{
    int64_t low = 0, high = 0;
    for (uint32_t i = 0; i < rank; i++) {
        int64_t far = (int64_t)(shape[i] - 1) * stride[i];
        if (far < 0)
            low += far;
        else
            high += far;
    }
    *lowest = low;
    return high - low + 1;
}

void contiguous_strides(uint32_t rank, const uint64_t *shape, int64_t *stride)
{
    int64_t step = 1;
    for (uint32_t i = rank; i-- > 0;) {
        stride[i] = step;
        step *= (int64_t)shape[i];
    }
}

void random_strides(struct rng *r, uint32_t rank, const uint64_t *shape, int64_t *stride)
{
    uint32_t order[ZT_MAX_RANK] = {0, 1, 2, 3};
    for (uint32_t i = rank; i-- > 1;) {
        uint32_t j = (uint32_t)rng_below(r, i + 1), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    int64_t step = rng_once_in(r, 3) ? 1 + (int64_t)rng_below(r, 3) : 1;
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t axis = order[i];
        stride[axis] = rng_once_in(r, 3) ? -step : step;
        step *= (int64_t)shape[axis];
        if (rng_once_in(r, 3))
            step += 1 + (int64_t)rng_below(r, 5);
    }
}

struct test_array test_array_new(uint32_t type, uint32_t rank, const uint64_t *shape,
                                 const int64_t *stride)
{
    struct test_array a;
    int64_t lowest;
    size_t element = zt_type_bytes(type);
    a.memory_bytes = (size_t)reach_of(rank, shape, stride, &lowest) * element;
    a.memory = need(a.memory_bytes);
    memset(a.memory, PATTERN, a.memory_bytes);
    a.array = zt_array_nd(a.memory + (size_t)-lowest * element, (zt_type)type, rank, shape);
    memcpy(a.array.stride, stride, rank * sizeof *stride);
    return a;
}

void test_array_free(struct test_array *a)
{
    free(a->memory);
    a->memory = NULL;
}

void set_bits(const zt_array *array, uint64_t i, uint64_t bits)
{
    const uint32_t narrow = (uint32_t)bits;
    const size_t bytes = zt_type_bytes(array->type);
    memcpy((char *)array->data + i * bytes,
           bytes == 8 ? (const void *)&bits : (const void *)&narrow, bytes);
}

void set_number(const zt_array *array, uint64_t i, double x)
{
    if (array->type == ZT_F32)
        ((float *)array->data)[i] = (float)x;
    else if (array->type == ZT_F64)
        ((double *)array->data)[i] = x;
    else if (array->type == ZT_I32)
        ((int32_t *)array->data)[i] = (int32_t)x;
    else
        ((int64_t *)array->data)[i] = (int64_t)x;
}

/* The place of the element with this C-order number, and its coordinates. */
static unsigned char *element_at(const zt_array *a, uint64_t number, uint64_t *at)
{
    int64_t place = 0;
    for (uint32_t i = a->rank; i-- > 0;) {
        at[i] = number % a->shape[i];
        number /= a->shape[i];
        place += (int64_t)at[i] * a->stride[i];
    }
    return (unsigned char *)a->data + place * (int64_t)zt_type_bytes(a->type);
}

void fill_array(const zt_array *array, enum data_kind kind, uint64_t data_seed)
{
    struct rng r = {data_seed};
    struct flavour f = flavour_of(array, kind, &r);
    uint64_t n = values_of(array->rank, array->shape), at[ZT_MAX_RANK];
    for (uint64_t i = 0; i < n; i++) {
        unsigned char *to = element_at(array, i, at);
        put_element(&f, &r, to, array->rank, at, i);
    }
}

void *place_of(const zt_array *array, const uint64_t *at)
{
    int64_t offset = 0;
    for (uint32_t i = 0; i < array->rank; i++)
        offset += (int64_t)at[i] * array->stride[i];
    return (char *)array->data + offset * (int64_t)zt_type_bytes(array->type);
}

zt_array slab_of(const zt_array *array, uint64_t first, uint64_t extent)
{
    const uint64_t at[ZT_MAX_RANK] = {first, 0, 0, 0};
    zt_array slab = *array;
    slab.data = place_of(array, at);
    slab.shape[0] = extent;
    return slab;
}

void gather(const zt_array *array, void *out)
{
    uint64_t n = values_of(array->rank, array->shape), at[ZT_MAX_RANK];
    size_t element = zt_type_bytes(array->type);
    for (uint64_t i = 0; i < n; i++)
        memcpy((unsigned char *)out + i * element, element_at(array, i, at), element);
}

void scatter(const zt_array *array, const void *in)
{
    uint64_t n = values_of(array->rank, array->shape), at[ZT_MAX_RANK];
    size_t element = zt_type_bytes(array->type);
    for (uint64_t i = 0; i < n; i++)
        memcpy(element_at(array, i, at), (const unsigned char *)in + i * element, element);
}

bool gaps_are_untouched(const struct test_array *a)
{
    uint64_t n = values_of(a->array.rank, a->array.shape), at[ZT_MAX_RANK];
    size_t element = zt_type_bytes(a->array.type);
    unsigned char *is_element = need(a->memory_bytes);
    memset(is_element, 0, a->memory_bytes);
    for (uint64_t i = 0; i < n; i++)
        memset(is_element + (element_at(&a->array, i, at) - a->memory), 1, element);
    bool untouched = true;
    for (size_t i = 0; i < a->memory_bytes; i++)
        if (!is_element[i] && a->memory[i] != PATTERN)
            untouched = false;
    free(is_element);
    return untouched;
}

static double value_at(uint32_t type, const void *from)
{
    union {
        float f32;
        double f64;
        int32_t i32;
        int64_t i64;
    } v;
    memcpy(&v, from, zt_type_bytes(type));
    return type == ZT_F32   ? (double)v.f32
           : type == ZT_F64 ? v.f64
           : type == ZT_I32 ? (double)v.i32
                            : (double)v.i64;
}

uint64_t count_nonfinite(const zt_array *array, uint64_t *nan, uint64_t *inf)
{
    uint64_t n = values_of(array->rank, array->shape), at[ZT_MAX_RANK], nans = 0, infs = 0;
    for (uint64_t i = 0; i < n; i++) {
        double v = value_at(array->type, element_at(array, i, at));
        nans += isnan(v) ? 1 : 0;
        infs += isinf(v) ? 1 : 0;
    }
    if (nan)
        *nan = nans;
    if (inf)
        *inf = infs;
    return nans + infs;
}

/* s = fl(b - a); what rounding lost, e = (b - a) - s, is a double as well (Knuth's two-sum). As
 * rounding is monotone, |b - a| <= bound is |s| < bound, or |s| = bound and e does not point away
 * from zero. An overflow to infinity is beyond any finite bound, and rightly. */
static bool floats_are_within(double a, double b, double bound)
{
    double s = b - a;
    if (fabs(s) != bound)
        return fabs(s) < bound;
    double part = s - b;
    double e = (b - (s - part)) + (-a - part);
    return s > 0 ? e <= 0 : e >= 0;
}

static bool integers_are_within(int64_t a, int64_t b, double bound)
{
    uint64_t apart = a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b;
    if (!(bound >= 0))
        return false;
    return bound >= 18446744073709551616.0 || apart <= (uint64_t)bound;
}

bool is_within_exactly(uint32_t type, const void *original, const void *decoded, double bound)
{
    size_t element = zt_type_bytes(type);
    if (memcmp(original, decoded, element) == 0)
        return true;
    if (type == ZT_F32) {
        float a, b;
        memcpy(&a, original, sizeof a);
        memcpy(&b, decoded, sizeof b);
        return floats_are_within(a, b, bound);
    }
    if (type == ZT_F64) {
        double a, b;
        memcpy(&a, original, sizeof a);
        memcpy(&b, decoded, sizeof b);
        return floats_are_within(a, b, bound);
    }
    if (type == ZT_I32) {
        int32_t a, b;
        memcpy(&a, original, sizeof a);
        memcpy(&b, decoded, sizeof b);
        return integers_are_within(a, b, bound);
    }
    int64_t a, b;
    memcpy(&a, original, sizeof a);
    memcpy(&b, decoded, sizeof b);
    return integers_are_within(a, b, bound);
}

__extension__ typedef unsigned __int128 wide;

static uint32_t bits_in(wide v)
{
    uint32_t n = 0;
    for (; v; v >>= 1)
        n++;
    return n;
}

/* A finite double that is not 0, as mantissa 2^exponent with a mantissa of 53 bits. */
static uint64_t split(double v, int *exponent)
{
    const uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(v), exponent), 53);
    *exponent -= 53;
    return mantissa;
}

/* With the exponents of a and b as they are, the smaller one is the unit of both sides. */
bool is_within_part_exactly(uint32_t type, const void *original, const void *decoded, double part)
{
    float narrow[2];
    double a, b;
    if (memcmp(original, decoded, zt_type_bytes(type)) == 0)
        return true;
    if (type == ZT_F32) {
        memcpy(&narrow[0], original, sizeof narrow[0]);
        memcpy(&narrow[1], decoded, sizeof narrow[1]);
        a = (double)narrow[0];
        b = (double)narrow[1];
    } else {
        memcpy(&a, original, sizeof a);
        memcpy(&b, decoded, sizeof b);
    }
    int ea, eb, ep;
    if (a == 0 || b == 0 || !isfinite(b) || part <= 0 || (a < 0) != (b < 0))
        return false; /* off by |a| or more */
    const uint64_t ma = split(a, &ea), mb = split(b, &eb), mp = split(part, &ep);
    if (eb > ea + 1 || eb < ea - 20)
        return false; /* off by more than 0.99 |a| */
    const int unit = ea < eb ? ea : eb;
    const wide x = (wide)ma << (ea - unit), y = (wide)mb << (eb - unit);
    const wide off = x > y ? x - y : y - x, most = (wide)ma * mp;
    const int shift = ea + ep - unit; /* of most, in units */
    if (off == 0)
        return true;
    if (shift >= 0)
        return off <= most << shift;
    return bits_in(off) + (uint32_t)-shift <= 127 && off << -shift <= most;
}

void range_of(const zt_array *array, double *min, double *max)
{
    uint64_t n = values_of(array->rank, array->shape), at[ZT_MAX_RANK];
    *min = *max = NAN;
    for (uint64_t i = 0; i < n; i++) {
        double v = value_at(array->type, element_at(array, i, at));
        if (!isfinite(v))
            continue;
        if (!(*min <= v))
            *min = v;
        if (!(*max >= v))
            *max = v;
    }
}

/* ---- text and files ---- */

const char *type_name(uint32_t type)
{
    static const char *const names[] = {"?", "f32", "f64", "i32", "i64"};
    return names[type <= ZT_I64 ? type : 0];
}

uint32_t type_of_name(const char *name)
{
    for (uint32_t t = ZT_F32; t <= ZT_I64; t++)
        if (strcmp(name, type_name(t)) == 0)
            return t;
    return 0;
}

char *shape_text(uint32_t rank, const uint64_t *shape, char *text)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < rank; i++)
        used +=
            (size_t)snprintf(text + used, 24, "%s%llu", i ? "x" : "", (unsigned long long)shape[i]);
    return text;
}

char *stride_text(uint32_t rank, const int64_t *stride, char *text)
{
    size_t used = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < rank; i++)
        used += (size_t)snprintf(text + used, 24, "%s%lld", i ? "," : "", (long long)stride[i]);
    return text;
}

unsigned char *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    size_t capacity = 1 << 16, used = 0, got;
    unsigned char *data = need(capacity);
    while ((got = fread(data + used, 1, capacity - used, f)) > 0) {
        used += got;
        if (used < capacity)
            continue;
        capacity *= 2;
        unsigned char *larger = realloc(data, capacity);
        if (!larger) {
            free(data);
            fclose(f);
            return NULL;
        }
        data = larger;
    }
    bool failed = ferror(f) != 0;
    fclose(f);
    if (failed) {
        free(data);
        return NULL;
    }
    *bytes = used;
    return data;
}
