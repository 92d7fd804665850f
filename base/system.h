/*
 * system - the system headers that most files include. Builds that use precompiled headers compile
 * this file once for each directory. No file includes it: each file includes what it uses itself,
 * and builds without the precompiled header check that.
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
