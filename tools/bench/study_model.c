/* study_model.c: the latency of reading an array through a link, by equations 1 to 4 of the paper,
 * beside what was measured: of S raw bytes and a ratio R, over B bytes a second,
 *
 *     without compression    latency S / B             period S / B
 *     with                   latency S / (R B) + T     period max(S / (R B), T)
 *
 * T is the time to decode: the model's is that of one thread over the threads, the other is the
 * measured one. The application's own time is left out. */
#include "bench/study.h"

#include <inttypes.h>
#include <math.h>

/* The paper's link between host and GPU, PCI Express 3.0 with 16 lanes: GB/s. */
static const double link_gb_per_s = 15.75;

/* Milliseconds. */
static void cell(struct table *t, double seconds)
{
    table_cell(t, "%.3f", 1e3 * seconds);
}

void study_print_model(const struct study *s, struct table *t)
{
    static const char *const heads[] = {"threads", "decode ms", "model",    "latency ms",
                                        "model",   "raw",       "period ms"};
    double raw = 0, coded = 0;
    *t = (struct table){.rows = 0};
    table_row(t);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        table_cell(t, "%s", heads[i]);
    for (int i = 0; i < s->files; i++)
        if (s->file[i].chunks > STUDY_SPEEDUP_AT) {
            raw += (double)s->file[i].raw_bytes;
            coded += (double)s->file[i].raw_bytes / study_ratio(&s->file[i]);
        }
    if (raw == 0)
        return;
    const double send = 1e-9 * coded / link_gb_per_s;
    double alone = 0;
    for (int k = 0; k < s->counts; k++) {
        double decode = 0;
        for (int i = 0; i < s->files; i++)
            if (s->file[i].chunks > STUDY_SPEEDUP_AT)
                decode += study_seconds_on(&s->file[i], k);
        alone = k == 0 ? decode : alone;
        const double model = alone / s->threads[k];
        table_row(t);
        table_cell(t, "%" PRIu32, s->threads[k]);
        cell(t, decode);
        cell(t, model);
        cell(t, send + decode);
        cell(t, send + model);
        cell(t, 1e-9 * raw / link_gb_per_s);
        cell(t, fmax(send, decode));
    }
    (void)printf(
        "\nall files with that many tiles through a link of %.4g GB/s: latency and period by "
        "equations 1 to 4\n\n",
        link_gb_per_s);
    table_print(t, stdout, 0x7f);
}
