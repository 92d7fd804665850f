#pragma once
/*
 * rounds - the number of rounds of a random test. ASan makes rounds slow and looks for bad
 * accesses rather than rare results, so under ASan it is a tenth.
 */
#ifdef __SANITIZE_ADDRESS__
#define ROUNDS(n) ((n) / 10)
#else
#define ROUNDS(n) (n)
#endif
