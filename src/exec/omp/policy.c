/* policy.c: the table of the omp policy. */
#include "exec/omp/team.h"

const struct zti_policy zti_omp = {.encode = zti_omp_encode,
                                   .encode_pieces = zti_omp_encode_pieces,
                                   .decode = zti_omp_decode,
                                   .tally = zti_tally_on_host};
