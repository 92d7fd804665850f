#pragma once
/*
 * agreement - whether two values, texts or programs are certainly the same, certainly different, or
 * neither. A rule that is not certain returns AGREE_UNDECIDED; a wrong AGREE_SAME is a bug.
 */
enum agreement {
	AGREE_SAME,
	AGREE_UNDECIDED,
	AGREE_CHANGED,
};
