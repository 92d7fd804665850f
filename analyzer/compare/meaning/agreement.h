#pragma once
/*
 * agreement - what is certain about two values: equal or different. If a rule is not certain, it
 * returns AGREE_UNDECIDED; a wrong AGREE_SAME is a bug.
 */
enum agreement {
	AGREE_SAME,
	AGREE_UNDECIDED,
	AGREE_CHANGED,
};
