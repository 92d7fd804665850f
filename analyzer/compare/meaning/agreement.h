#pragma once
/*
 * agreement - what is certain of two values. A rule that is not sure gives undecided; a wrong
 * "same" is a bug.
 */
enum agreement {
	AGREE_SAME,
	AGREE_UNDECIDED,
	AGREE_CHANGED,
};
