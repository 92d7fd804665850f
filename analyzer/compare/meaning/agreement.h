#pragma once
/*
 * agreement - what can be said of two values. Undecided is an answer; a wrong "same" is a bug, so
 * every rule that is not sure gives undecided.
 */
enum agreement {
	AGREE_SAME,
	AGREE_UNDECIDED,
	AGREE_CHANGED,
};
