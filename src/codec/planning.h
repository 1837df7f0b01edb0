/* planning.h: what a codec could vary, and what it says of samples: for choosing how an array is
 * coded. */
#ifndef ZTI_PLANNING_H
#define ZTI_PLANNING_H

#include "codec/codec.h"

/* What takes part in a choice: a codec with an effort, and at times with one of its coders. */
struct zti_candidate {
    uint32_t codec;  /* zt_codec */
    uint32_t effort; /* zt_effort */
    uint32_t method; /* for set_method; 0: what params say */
    bool is_lossy;   /* takes part under an absolute bound, else where nothing may be lost */
    uint32_t speed;  /* about how fast it codes, MB/s of float32 on one thread: what is fast
                        and what is slow must not depend on the machine */
    /* It predicts from distant values, and falls back on the candidate before it (is_fallback)
     * where that takes fewer bytes. So it takes no more bytes than that one, and is measured by one
     * large box rather than many tiles. */
    bool has_own_predictor;
    bool is_fallback;  /* a candidate with a predictor of its own falls back on this one */
    bool is_for_ratio; /* asked for the sake of few bytes, whatever is preferred */
    bool is_whole;     /* it works over large tiles without a plan: samples cannot measure it. It is
                          coded first, unless others are faster and not larger */
    bool is_far;       /* the same beside other candidates: it is coded last, and only if boxes let
                          expect less than far_most times the bytes of the smallest so far */
    double far_most;
    bool is_lossless; /* under a bound, a far one that loses nothing */
    double most_part; /* a box must take less than this part of the bytes that it takes with the
                         candidate before. Then this one, of the same codec, takes its place.
                         0: nothing is replaced */
    /* Tells instead of a box whether it takes far fewer bytes than the candidate before, which it
     * then replaces; 'found' is what that one's look found. NULL: a box tells. */
    zt_status (*is_smaller)(zt_context *context, const struct zti_array *array,
                            const struct zti_found *found, bool *is_smaller);
    bool is_for_floats; /* it takes part for floats only */
};

enum { ZTI_CANDIDATES_MOST = 8, ZTI_CHOICE_RUNS = 2 };

/* Times of decoding, nanoseconds on one core: of a value of a tile, padding included, and of a bit
 * of the stream, by the rank of the coded array; and to transpose: to copy a value from a row of
 * the coded array to a column of the user's. */
struct zti_decode_times {
    double value[ZT_MAX_RANK], bit[ZT_MAX_RANK], transpose;
};

/* What a codec's first look finds: it measures small samples of an array. */
struct zti_look {
    uint64_t bits[1 << ZT_MAX_RANK]; /* of samples, by the axes of prediction, inside of tiles */
    struct zti_found found;          /* what the codec would choose */
    double step;                     /* values become multiples of it; 0: they do not */
    uint32_t fixed[ZT_MAX_RANK];     /* by rank: axes that there is no choice of; 0: there is */
};

/* For codecs that choose along which axes they predict, and whose tiles have thousands of values.
 */
struct zti_axes_planning {
    uint32_t group_values; /* along the fastest axis, that are coded together */
    zt_status (*look)(zt_context *context, struct zti_coding *coding, const struct zti_array *array,
                      struct zti_look *look);
    /* Predict along these axes (bit i: axis i), as if that had been learnt. */
    void (*set_axes)(struct zti_coding *coding, uint32_t axes);
    /* The bits of all tiles of an array, about, without what is learnt. */
    uint64_t (*estimate)(const struct zti_coding *coding, const struct zti_look *look,
                         const struct zti_array *array);
    /* Code tiles, each an array by itself, with all that is learnt from them; bits has what each
     * takes. scratch has room for one at its largest. */
    zt_status (*code)(zt_context *context, struct zti_coding *coding, const struct zti_look *look,
                      const struct zti_array *tiles, uint32_t count, uint8_t *scratch,
                      uint64_t *bits, uint64_t *head_bits);
};

struct zti_planning {
    /* An absolute bound counts as the power of two at or below it. */
    bool has_power_bounds;

    /* List this codec's candidates that params leave a choice of, lossy or not; returns how many.
     * One that is_fallback comes before the one with a predictor of its own. */
    uint32_t (*candidates)(const zt_params *params, bool is_lossy, struct zti_candidate *list);

    /* Set a candidate's method. NULL: none has one. */
    void (*set_method)(zt_params *params, uint32_t method);

    /* Ways to keep a bound of ZT_PWREL. They are numbered in runs, each from its loosest way to its
     * tightest; run i ends before way ends[i]. Trials on a sample find the best way of a run.
     * Returns the number of runs. NULL: there is one way. */
    uint32_t (*choices)(const struct zti_coding *coding, uint32_t ends[ZTI_CHOICE_RUNS]);

    /* Drop more bit planes than configure did: most values may still keep the bound. False if there
     * are fewer planes than that. NULL: none can be dropped. */
    bool (*loosen)(struct zti_coding *coding, uint32_t planes);

    /* A stream was coded for a candidate with a predictor of its own: whether the one that it falls
     * back on, under the same plan, is known to make no smaller one. Learning took it, or compared
     * the two at many places and found it larger. NULL: not known. */
    bool (*is_compared)(const struct zti_coding *coding);

    const struct zti_decode_times *decode_times; /* of values of 4 and 8 bytes; NULL: any order of
                                    axes takes about as long */
    const struct zti_axes_planning *axes;        /* or NULL */
};

static inline const struct zti_planning *zti_planning_of(const struct zti_codec *codec)
{
    return codec && codec->tables ? codec->tables->planning : NULL;
}

/* The caller's parameters, as a candidate is coded. */
static inline zt_params zti_params_for(const zt_params *asked, const struct zti_candidate *c)
{
    zt_params params = *asked;
    params.effort = c->effort;
    if (c->method)
        zti_planning_of(zti_codec_by_id(c->codec))->set_method(&params, c->method);
    return params;
}

/* The target with which a candidate is coded; params: those of zti_params_for. */
static inline struct zti_target zti_target_for(const struct zti_target *target,
                                               const struct zti_candidate *c,
                                               const zt_params *params)
{
    struct zti_target own = *target;
    own.params = params;
    own.has_few_samples = c->most_part > 0;
    return own;
}

static inline bool zti_has_power_bounds(const struct zti_codec *codec)
{
    return zti_planning_of(codec) && zti_planning_of(codec)->has_power_bounds;
}

/* NULL unless the codec chooses axes. */
static inline const struct zti_axes_planning *zti_axes_planning_of(const struct zti_codec *codec)
{
    return zti_planning_of(codec) ? zti_planning_of(codec)->axes : NULL;
}

#endif
