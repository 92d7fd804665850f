#pragma once
/*
 * plural - the form of a word that fits a number. Pure.
 */

/* Returns `one` if n is 1, else `many`: "1 answer", "0 answers". n is a count, as a double because
 * JSON documents have counts as numbers. */
static inline const char *plural(double n, const char *one, const char *many)
{
	return n == 1 ? one : many;
}
