/* ptx_test.cc: the inline PTX of gpu/simt.h beside what the CPU runs in its place. The test takes
 * each asm statement from the header, runs its text in 32 lanes by what the PTX ISA says of every
 * instruction, and compares with the functions of simt_host.h, over random operands and those at
 * the edges. It fails at an instruction that it does not know, and at a statement that no test
 * runs.
 *
 *     ptx_test .../src/gpu/simt.h */
#include "gpu/simt.h"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <stdio.h>
#include <stdlib.h>

enum { LANES = 32, ROUNDS = 400 };

static unsigned failures;

static void fail(const std::string &what)
{
    printf("%s\n", what.c_str());
    if (++failures > 20)
        exit(1);
}

/* ---- the statements of the header ---- */

static std::string header;
static std::set<size_t> used; /* where statements stand that a test has taken */

static std::string read_file(const char *name)
{
    std::string text;
    FILE *const f = fopen(name, "r");
    for (int c; f && (c = fgetc(f)) != EOF;)
        text += (char)c;
    if (!f || fclose(f) != 0) {
        printf("%s cannot be read\n", name);
        exit(1);
    }
    return text;
}

static size_t next_statement(size_t from)
{
    const size_t plain = header.find("asm(", from), fixed = header.find("asm volatile(", from);
    return plain < fixed ? plain : fixed;
}

/* The text of the statement behind the last definition of 'name': its strings up to the operands.
 */
static std::string text_of(const char *name)
{
    const std::string call = std::string(name) + "(", macro = "#define " + call;
    const bool is_macro = header.find(macro) != std::string::npos;
    const size_t at = next_statement(header.rfind(is_macro ? macro : call));
    std::string text;
    if (at == std::string::npos) {
        fail(std::string(name) + " has no asm statement");
        return text;
    }
    used.insert(at);
    bool is_inside = false;
    for (size_t i = header.find('(', at) + 1; i < header.size(); i++) {
        const char c = header[i];
        if (c == '"')
            is_inside = !is_inside;
        else if (is_inside && c == '\\' && ++i < header.size())
            text += ' '; /* \n or \t */
        else if (is_inside)
            text += c;
        else if (c == ':' || c == ')')
            break;
    }
    return text;
}

/* ---- instructions ---- */

struct copy {
    uint64_t to, from, bytes;
};

struct lane {
    std::map<std::string, uint64_t> registers;
    std::vector<copy> brought;
};

static std::string trimmed(const std::string &s)
{
    const size_t first = s.find_first_not_of(" \t[]{}"), last = s.find_last_not_of(" \t[]{}");
    return first == std::string::npos ? "" : s.substr(first, last - first + 1);
}

static std::vector<std::string> parts_of(const std::string &s, char between)
{
    std::vector<std::string> parts;
    for (size_t from = 0; from <= s.size();) {
        const size_t end =
            s.find(between, from) == std::string::npos ? s.size() : s.find(between, from);
        parts.push_back(trimmed(s.substr(from, end - from)));
        from = end + 1;
    }
    return parts;
}

static uint64_t value_of(lane &l, const std::string &operand)
{
    if (operand[0] >= '0' && operand[0] <= '9')
        return strtoull(operand.c_str(), NULL, 0);
    if (l.registers.count(operand) == 0)
        fail("register " + operand + " is read and has no value");
    return l.registers[operand];
}

static uint32_t highest_bit(uint32_t a)
{
    for (uint32_t bit = 32; bit-- > 0;)
        if (a >> bit & 1)
            return bit;
    return UINT32_MAX;
}

static uint32_t low_ones(uint32_t a, uint32_t b)
{
    const uint32_t position = a & 31, width = b & 31;
    const uint32_t from = a >= 32 ? 0 : ~UINT32_C(0) << position;
    const bool is_over = position + width >= 32 || a >= 32 || b >= 32;
    const uint32_t beyond = is_over      ? 0
                            : width == 0 ? ~UINT32_C(0)
                                         : ~UINT32_C(0) << (position + width);
    return from & ~beyond;
}

/* Instructions of one lane; false: unknown. */
static bool step_of_lane(lane &l, const std::string &name, const std::vector<std::string> &o)
{
    std::map<std::string, uint64_t> &r = l.registers;
    if (name == "and.b32") {
        r[o[0]] = (uint32_t)(value_of(l, o[1]) & value_of(l, o[2]));
    } else if (name == "add.u32") {
        r[o[0]] = (uint32_t)(value_of(l, o[1]) + value_of(l, o[2]));
    } else if (name == "setp.ne.u32") {
        r[o[0]] = (uint32_t)value_of(l, o[1]) != (uint32_t)value_of(l, o[2]);
    } else if (name == "bfind.u32") {
        r[o[0]] = highest_bit((uint32_t)value_of(l, o[1]));
    } else if (name == "bmsk.clamp.b32") {
        r[o[0]] = low_ones((uint32_t)value_of(l, o[1]), (uint32_t)value_of(l, o[2]));
    } else if (name == "ld.global.nc.u32") {
        r[o[0]] = *(const uint32_t *)(uintptr_t)value_of(l, o[1]);
    } else if (name == "ld.relaxed.gpu.global.u64" || name == "ld.acquire.gpu.global.u64") {
        r[o[0]] = *(const uint64_t *)(uintptr_t)value_of(l, o[1]);
    } else if (name == "st.relaxed.gpu.global.u64" || name == "st.release.gpu.global.u64") {
        *(uint64_t *)(uintptr_t)value_of(l, o[0]) = value_of(l, o[1]);
    } else if (name == "st.global.u8") { /* of a wider register the low bits */
        *(uint8_t *)(uintptr_t)value_of(l, o[0]) = (uint8_t)value_of(l, o[1]);
    } else if (name == "cp.async.ca.shared.global") {
        l.brought.push_back({value_of(l, o[0]), value_of(l, o[1]), value_of(l, o[2])});
    } else if (name == "cp.async.wait_all") {
        for (const copy &c : l.brought)
            memcpy((void *)(uintptr_t)c.to, (const void *)(uintptr_t)c.from, (size_t)c.bytes);
        l.brought.clear();
    } else {
        return false;
    }
    return true;
}

/* Instructions of a warp, all of whose lanes take part. */
static bool step_of_warp(lane *warp, const std::string &name, const std::vector<std::string> &o)
{
    if (name == "vote.sync.ballot.b32") {
        uint32_t set = 0;
        for (uint32_t i = 0; i < LANES; i++)
            set |= (uint32_t)(value_of(warp[i], o[1]) != 0) << i;
        for (uint32_t i = 0; i < LANES; i++)
            warp[i].registers[o[0]] = set;
    } else if (name == "shfl.sync.up.b32") {
        const std::vector<std::string> to = parts_of(o[0], '|');
        uint64_t source[LANES];
        for (uint32_t i = 0; i < LANES; i++)
            source[i] = value_of(warp[i], o[1]);
        for (uint32_t i = 0; i < LANES; i++) {
            const uint32_t by = value_of(warp[i], o[2]) & 31, c = (uint32_t)value_of(warp[i], o[3]);
            const uint32_t segment = c >> 8 & 31, clamp = c & 31;
            const int most = (int)((i & segment) | (clamp & ~segment)), from = (int)i - (int)by;
            warp[i].registers[to[1]] = from >= most;
            warp[i].registers[to[0]] = source[from >= most ? from : (int)i];
        }
    } else {
        return false;
    }
    for (uint32_t i = 0; i < LANES; i++)
        if (value_of(warp[i], o.back()) != UINT32_MAX)
            fail(name + " is not of all lanes");
    return true;
}

static void run(const std::string &text, lane *warp)
{
    for (std::string line : parts_of(text, ';')) {
        std::string guard;
        if (line.empty() || line.compare(0, 4, ".reg") == 0)
            continue;
        if (line[0] == '@') {
            guard = line.substr(1, line.find(' ') - 1);
            line = trimmed(line.substr(line.find(' ')));
        }
        const std::string name = line.substr(0, line.find(' '));
        const std::vector<std::string> operands = parts_of(line.substr(name.size()), ',');
        if (guard.empty() && step_of_warp(warp, name, operands))
            continue;
        for (uint32_t i = 0; i < LANES; i++)
            if (guard.empty() || value_of(warp[i], guard) != 0)
                if (!step_of_lane(warp[i], name, operands)) {
                    fail(name + " is not known here");
                    return;
                }
    }
}

/* ---- operands ---- */

static uint64_t state;

static uint32_t draw(void)
{
    static const uint32_t edges[] = {
        0, 1, 2, 7, 8, 15, 16, 31, 32, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t some = (uint32_t)(state >> 32);
    return some % 3 == 0   ? edges[some / 3 % (sizeof edges / sizeof *edges)]
           : some % 3 == 1 ? some >> some / 3 % 32
                           : some;
}

/* What the lanes of a warp have. */
struct operands {
    uint32_t a[LANES], b[LANES], result[LANES];
    uint8_t bytes[LANES];
    uint64_t flags[LANES], loaded[LANES];
    uint32_t words[LANES][4] __attribute__((aligned(16)));  /* in global memory, */
    uint32_t shared[LANES][4] __attribute__((aligned(16))); /* and in shared memory */
};

static void draw_all(struct operands *o)
{
    memset(o, 0, sizeof *o);
    for (uint32_t i = 0; i < LANES; i++) {
        o->a[i] = draw();
        o->b[i] = draw();
        o->bytes[i] = (uint8_t)draw();
        o->flags[i] = (uint64_t)draw() << 32 | draw();
        for (uint32_t k = 0; k < 4; k++)
            o->words[i][k] = draw();
    }
}

/* ---- one test a statement ---- */

typedef void kernel_body(struct operands *o, uint32_t i, uint32_t option);

SIMT_KERNEL void kernel(kernel_body *body, struct operands *o, uint32_t option)
{
    body(o, threadIdx.x, option);
}

/* The registers of a lane before, and its results after. */
typedef void set_registers(lane &l, struct operands *o, uint32_t i, uint32_t option);
typedef void get_registers(lane &l, struct operands *o, uint32_t i);

/* Run the CPU's function and the statements of 'names' on the same operands. */
static void compare(std::vector<const char *> names, kernel_body *body, set_registers *set,
                    get_registers *get, std::vector<uint32_t> options)
{
    std::string text;
    for (const char *name : names)
        text += text_of(name) + ";";
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const uint32_t option = options[round % options.size()];
        struct operands own, other;
        lane warp[LANES];
        simt_opt.seed = round;
        draw_all(&own);
        other = own;
        SIMT_LAUNCH(kernel, 1, LANES, 0, NULL, body, &own, option);
        for (uint32_t i = 0; i < LANES; i++)
            set(warp[i], &other, i, option);
        run(text, warp);
        for (uint32_t i = 0; i < LANES; i++)
            get(warp[i], &other, i);
        if (memcmp(&own, &other, sizeof own) != 0) {
            fail(std::string(names[0]) + " differs from its instructions");
            return;
        }
    }
}

static void no_results(lane &, struct operands *, uint32_t) {}

static void one_result(lane &l, struct operands *o, uint32_t i)
{
    o->result[i] = (uint32_t)l.registers["%0"];
}

static void test_words(void)
{
    compare(
        {"simt_highest"},
        [](struct operands *o, uint32_t i, uint32_t) { o->result[i] = simt_highest(o->a[i]); },
        [](lane &l, struct operands *o, uint32_t i, uint32_t) { l.registers["%1"] = o->a[i]; },
        one_result, {0});
    compare(
        {"simt_ones"},
        [](struct operands *o, uint32_t i, uint32_t) { o->result[i] = simt_ones(o->a[i]); },
        [](lane &l, struct operands *o, uint32_t i, uint32_t) { l.registers["%1"] = o->a[i]; },
        one_result, {0});
    compare(
        {"simt_anew"},
        [](struct operands *o, uint32_t i, uint32_t) {
            o->result[i] = o->a[i];
            simt_anew(o->result[i]);
        },
        [](lane &l, struct operands *o, uint32_t i, uint32_t) { l.registers["%0"] = o->a[i]; },
        one_result, {0});
}

static void test_warps(void)
{
    compare(
        {"simt_vote_bit"},
        [](struct operands *o, uint32_t i, uint32_t option) {
            o->result[i] = simt_vote_bit(o->a[i], 1u << option);
        },
        [](lane &l, struct operands *o, uint32_t i, uint32_t option) {
            l.registers["%1"] = o->a[i];
            l.registers["%2"] = 1u << option;
        },
        one_result, {0, 1, 7, 30, 31});
    std::vector<uint32_t> steps;
    for (uint32_t width = 1; width <= 32; width *= 2)
        for (uint32_t step = 0; step < 32; step++)
            steps.push_back(step << 8 | width);
    compare(
        {"simt_add_before"},
        [](struct operands *o, uint32_t i, uint32_t option) {
            o->result[i] = o->a[i];
            simt_add_before(o->result + i, option >> 8, option & 255);
        },
        [](lane &l, struct operands *o, uint32_t i, uint32_t option) {
            l.registers["%0"] = o->a[i];
            l.registers["%1"] = option >> 8;
            l.registers["%2"] = (32 - (option & 255)) << 8;
        },
        one_result, steps);
}

static void test_memory(void)
{
    compare(
        {"simt_store_byte_if"},
        [](struct operands *o, uint32_t i, uint32_t) {
            simt_store_byte_if(o->a[i] % 2 != 0, o->bytes + i, o->b[i]);
        },
        [](lane &l, struct operands *o, uint32_t i, uint32_t) {
            l.registers["%0"] = o->a[i] % 2 != 0;
            l.registers["%1"] = (uintptr_t)(o->bytes + i);
            l.registers["%2"] = o->b[i];
        },
        no_results, {0});
    compare(
        {"simt_load_if"},
        [](struct operands *o, uint32_t i, uint32_t) {
            o->result[i] = simt_load_if(o->a[i] % 2 != 0, o->words[i] + o->b[i] % 4, o->b[i]);
        },
        [](lane &l, struct operands *o, uint32_t i, uint32_t) {
            l.registers["%0"] = o->b[i];
            l.registers["%1"] = o->a[i] % 2 != 0;
            l.registers["%2"] = (uintptr_t)(o->words[i] + o->b[i] % 4);
        },
        one_result, {0});
    compare(
        {"simt_bring", "simt_wait_brought"},
        [](struct operands *o, uint32_t i, uint32_t bytes) {
            const uint32_t at = o->a[i] % (16 / bytes) * (bytes / 4);
            simt_bring(o->shared[i] + at, o->words[i] + at, bytes);
            simt_wait_brought();
        },
        [](lane &l, struct operands *o, uint32_t i, uint32_t bytes) {
            const uint32_t at = o->a[i] % (16 / bytes) * (bytes / 4);
            l.registers["%0"] = (uintptr_t)(o->shared[i] + at);
            l.registers["%1"] = (uintptr_t)(o->words[i] + at);
            l.registers["%2"] = bytes;
        },
        no_results, {4, 8, 16});
    compare(
        {"simt_in_global"}, /* and in_shared: an address stays what it is */
        [](struct operands *o, uint32_t i, uint32_t) {
            o->result[i] = *(uint32_t *)simt_in_global(o->words[i]) +
                           *(uint32_t *)simt_in_shared(o->words[i] + 1);
        },
        [](lane &l, struct operands *o, uint32_t i, uint32_t) {
            l.registers["%0"] = (uintptr_t)o->words[i];
        },
        [](lane &l, struct operands *o, uint32_t i) {
            const uint32_t *const at = (const uint32_t *)(uintptr_t)l.registers["%0"];
            o->result[i] = at[0] + at[1];
        },
        {0});
}

static void test_flags(void)
{
#define FLAGS(load, store)                                                                         \
    compare(                                                                                       \
        {#load},                                                                                   \
        [](struct operands *o, uint32_t i, uint32_t) { o->loaded[i] = load(o->flags + i); },       \
        [](lane &l, struct operands *o, uint32_t i, uint32_t) {                                    \
            l.registers["%1"] = (uintptr_t)(o->flags + i);                                         \
        },                                                                                         \
        [](lane &l, struct operands *o, uint32_t i) { o->loaded[i] = l.registers["%0"]; }, {0});   \
    compare(                                                                                       \
        {#store},                                                                                  \
        [](struct operands *o, uint32_t i, uint32_t) {                                             \
            store(o->flags + i, (uint64_t)o->a[i] << 32 | o->b[i]);                                \
        },                                                                                         \
        [](lane &l, struct operands *o, uint32_t i, uint32_t) {                                    \
            l.registers["%0"] = (uintptr_t)(o->flags + i);                                         \
            l.registers["%1"] = (uint64_t)o->a[i] << 32 | o->b[i];                                 \
        },                                                                                         \
        no_results, {0})
    FLAGS(simt_load_flag, simt_store_flag);
    FLAGS(simt_load_acquire, simt_store_release);
#undef FLAGS
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    header = read_file(argv[1]);
    header.resize(header.find("#define SIMT_KERNEL   static\n")); /* what is for a GPU */
    test_words();
    test_warps();
    test_memory();
    test_flags();
    unsigned statements = 0;
    for (size_t at = next_statement(0); at != std::string::npos; at = next_statement(at + 1)) {
        statements++;
        if (used.count(at) == 0)
            fail("no test runs this: " + header.substr(at, 60));
    }
    printf("%u asm statements, %u rounds each, %u failures\n", statements, (unsigned)ROUNDS,
           failures);
    return failures != 0;
}
