#pragma once
/*
 * How often something is tried whose every try is like the last: under ASan, which looks for what
 * is touched rather than for what comes out and takes many times as long, a tenth of that.
 */
#ifdef __SANITIZE_ADDRESS__
#define ROUNDS(n) ((n) / 10)
#else
#define ROUNDS(n) (n)
#endif
