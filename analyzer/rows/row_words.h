#pragma once
/*
 * row_words - the words of columns that hold an enum, by its value. The value must be one of the
 * enum's.
 */

const char *endpoint_word(unsigned value);
const char *outcome_word(unsigned value);
const char *role_word(unsigned value);
const char *decoding_word(unsigned value);
const char *parameter_word(unsigned value);
const char *rung_word(unsigned value);
const char *class_word(unsigned value);
const char *severity_word(unsigned value);
const char *basis_word(unsigned value);
const char *mark_word(unsigned value);
const char *gold_word(unsigned value);
const char *score_word(unsigned value);
const char *opinion_word(unsigned value);
const char *leg_end_word(unsigned value);
const char *place_word(unsigned value);
const char *slice_word(unsigned value);
const char *difference_word(unsigned value);
const char *reason_word(unsigned value);
const char *floor_word(unsigned value);
