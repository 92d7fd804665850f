/*
 * system - what most files read of the system, for builds that read it once a room beforehand. No file includes it: each names what it
 * uses, which builds that do without prove.
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
