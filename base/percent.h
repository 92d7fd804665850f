#pragma once
/*
 * percent - how every text for users shows a share: "4.1 %", "0.04 %", "99.97 %". Pure.
 */

#define PERCENT_SIZE 24

/* The number of decimals of a percentage: two below 0.1 and above 99.9, so that only none is 0.0
 * and only all is 100.0; else one. */
int percent_decimals(double percent);
/* Writes a share as a percentage with its unit: "4.1 %" for 0.041. Returns text. */
const char *percent_text(double share, char text[PERCENT_SIZE]);
