#pragma once
/*
 * side - the two sides of a pair, as indexes of arrays. The test is compared with the base.
 */
enum side { SIDE_BASE, SIDE_TEST, N_SIDES };
