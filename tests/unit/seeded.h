#pragma once
/* seeded - random numbers that are the same in every run (splitmix64). below(n): 0 to n - 1. */
#include <stddef.h>
#include <stdint.h>

static uint64_t random_state;

static uint64_t rnd(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static size_t below(size_t n)
{
	return (size_t)(rnd() % n);
}
