#pragma once
/*
 * side - the two sides of a pair, as indexes of arrays: the base, which one compares with, and the
 * test, which is judged.
 */
enum side { SIDE_BASE, SIDE_TEST, N_SIDES };
