#pragma once
/*
 * percent - how every text for users shows a share: "4.1 %", "0.04 %", "99.97 %". Pure.
 */

#define PERCENT_SIZE 24

/* The decimals to print a percentage with: two if it is between 0 and 0.1 or between 99.9 and 100,
 * else one. So only 0 becomes "0.0", and only 100 becomes "100.0". */
int percent_decimals(double percent);
/* Writes a share as a percentage with its unit: "4.1 %" for 0.041. Returns text. */
const char *percent_text(double share, char text[PERCENT_SIZE]);
