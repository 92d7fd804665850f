#pragma once
/*
 * rounds - the number of rounds of a random test. Under ASan it is a tenth: rounds are slow there,
 * and ASan looks for bad accesses, not for rare results.
 */
#ifdef __SANITIZE_ADDRESS__
#define ROUNDS(n) ((n) / 10)
#else
#define ROUNDS(n) (n)
#endif
