/* huffman_cases.h: Huffman coding under the cuda policy: the codebook number for number, and
 * streams byte for byte, what one thread of the serial policy makes. As policy_cases.h, on GPUs and
 * on the CPU. */
#ifndef ZTILE_TEST_HUFFMAN_CASES_H
#define ZTILE_TEST_HUFFMAN_CASES_H

#include "policy_cases.h"

/* Case 'number' of the run with this seed. */
void huffman_case(struct policy_run *run, uint64_t number);

#endif
