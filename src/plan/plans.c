/* plans.c: see plans.h. */
#include "plan/plans.h"

uint32_t zti_real_axes(uint32_t rank, const uint64_t *shape, uint8_t *axes)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (shape[i] > 1)
            axes[n++] = (uint8_t)i;
    return n;
}

struct zti_plan zti_plan_make(uint32_t rank, const uint64_t *shape, const uint8_t *order,
                              uint32_t n, uint32_t joins)
{
    struct zti_plan plan = {.rank = (uint8_t)rank};
    uint32_t k = 0;
    for (uint32_t i = 0; i < rank; i++)
        if (shape[i] == 1) {
            plan.is_joined[k] = k > 0;
            plan.axis[k++] = (uint8_t)i;
        }
    for (uint32_t i = 0; i < n; i++) {
        plan.is_joined[k] = k > 0 && (i == 0 || (joins >> i & 1));
        plan.axis[k++] = order[i];
    }
    return plan;
}

bool zti_axes_order(uint32_t code, const uint8_t *axes, uint32_t n, uint8_t *order)
{
    uint32_t seen = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t digit = code >> 2 * k & 3;
        if (digit >= n || (seen >> digit & 1))
            return false;
        seen |= 1u << digit;
        order[k] = axes[digit];
    }
    return code >> 2 * n == 0;
}

uint32_t zti_plans_of(uint32_t rank, const uint64_t *shape, struct zti_plan *list)
{
    uint8_t axes[ZT_MAX_RANK], order[ZT_MAX_RANK];
    const uint32_t n = zti_real_axes(rank, shape, axes);
    uint32_t count = 0;
    for (uint32_t code = 0; code < 256; code++)
        if (zti_axes_order(code, axes, n, order))
            for (uint32_t joins = 0; joins < 1u << n; joins += 2)
                list[count++] = zti_plan_make(rank, shape, order, n, joins);
    if (count == 0)
        list[count++] = zti_plan_make(rank, shape, axes, 0, 0);
    return count;
}
