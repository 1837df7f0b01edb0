/* vectors.c: rows of the golden streams' manifest, and their inputs. */
#include "golden/vectors.h"

#include <string.h>

bool has_flag(const struct vector_row *row, const char *flag)
{
    return strstr(row->at[FLAGS], flag) != NULL;
}

/* The manifest counts x first; ztile's axes are slowest first. */
static void read_geometry(struct vector_row *row)
{
    uint64_t n[ZT_MAX_RANK];
    int64_t s[ZT_MAX_RANK], contiguous = 1;
    row->rank = 0;
    for (int i = 0; i < ZT_MAX_RANK; i++) {
        n[i] = number(row->at[NX + i]);
        s[i] = strtoll(row->at[SX + i], NULL, 10);
        if (n[i])
            row->rank++;
    }
    for (uint32_t i = 0; i < row->rank; i++) {
        row->shape[row->rank - 1 - i] = n[i];
        row->stride[row->rank - 1 - i] = s[i] ? s[i] : contiguous;
        contiguous *= (int64_t)n[i];
    }
}

bool vector_row_of(char *line, struct vector_row *row)
{
    memset(row, 0, sizeof *row);
    int columns = 0;
    for (char *cell = line; cell && columns < COLUMNS; columns++) {
        row->at[columns] = cell;
        cell = strchr(cell, '\t');
        if (cell)
            *cell++ = 0;
    }
    if (columns != COLUMNS)
        return false;
    row->type = type_of_name(row->at[TYPE]);
    row->zbytes = (size_t)number(row->at[ZBYTES]);
    row->consumed = (size_t)number(row->at[CONSUMED]);
    read_geometry(row);
    return true;
}

/* The formula "poly1" of the vectors' README: element q of a contiguous array of 4 extents. */
static void poly1(const struct vector_row *row, uint64_t seed, void *out)
{
    uint64_t n[4] = {1, 1, 1, 1}, values = values_of(row->rank, row->shape);
    for (uint32_t i = 0; i < row->rank; i++)
        n[i] = row->shape[row->rank - 1 - i];
    for (uint64_t q = 0; q < values; q++) {
        int64_t x = (int64_t)(q % n[0]), y = (int64_t)(q / n[0] % n[1]);
        int64_t z = (int64_t)(q / n[0] / n[1] % n[2]), w = (int64_t)(q / n[0] / n[1] / n[2]);
        int64_t p = 3 * x * x - 5 * x * y + 7 * y * y + 11 * y * z - 2 * z * z + 13 * z * w +
                    w * w - 17 * x + 19 * y - 23 * z;
        struct rng r = {q + seed};
        uint64_t h = rng_next(&r);
        double real = (double)p / 1024 + (double)((int64_t)(h >> 40) - 8388608) / 67108864;
        switch (row->type) {
        case ZT_F32: ((float *)out)[q] = (float)real; break;
        case ZT_F64: ((double *)out)[q] = real; break;
        case ZT_I32: ((int32_t *)out)[q] = (int32_t)(uint32_t)((uint64_t)p * 64 + (h >> 56)); break;
        default: ((int64_t *)out)[q] = p * 1048576 + (int64_t)(h >> 44); break;
        }
    }
}

void *vector_input(const char *dir, const struct vector_row *row, zt_array *array)
{
    size_t element = zt_type_bytes(row->type), bytes = 0;
    uint64_t base = number(row->at[BASE]);
    unsigned char *memory;
    if (strncmp(row->at[INPUT], "gen:poly1:", 10) == 0) {
        bytes = values_of(row->rank, row->shape) * element;
        memory = need(bytes);
        poly1(row, number(row->at[INPUT] + 10), memory);
    } else {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", dir, row->at[INPUT]);
        memory = read_file(path, &bytes);
    }
    int64_t lowest, reach = reach_of(row->rank, row->shape, row->stride, &lowest);
    if (!memory || (int64_t)base + lowest < 0 ||
        ((uint64_t)((int64_t)base + lowest) + (uint64_t)reach) * element > bytes) {
        free(memory);
        return NULL;
    }
    *array = zt_array_nd(memory + base * element, (zt_type)row->type, row->rank, row->shape);
    memcpy(array->stride, row->stride, sizeof row->stride);
    return memory;
}
