#pragma once
/*
 * side - the two sides of a pair, as indexes of arrays. The base is what one compares with; the
 * test is what is judged.
 */
enum side { SIDE_BASE, SIDE_TEST, N_SIDES };
