/*
 * system - the system headers that most files include, for builds that precompile them once for
 * each directory. No file includes this header: each file includes what it uses itself, and builds
 * without the precompiled header prove that.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
