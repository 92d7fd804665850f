#pragma once
/*
 * key_macros - short forms for the tables of keys. T: the struct that has the members. For keys.c
 * and backend_keys.c only.
 */
#include "proxy/settings/setting.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GIB (MIB * 1024)

#define END                                                                                        \
	{                                                                                          \
		.key = NULL                                                                        \
	}
#define AT(member) SETTING_AT(T, member)
#define BOOL(member) SETTING_BOOL, AT(member)
#define INTEGER(member, lowest, highest)                                                           \
	SETTING_INTEGER, AT(member), .low = (lowest), .high = (highest)
#define BYTES(member, lowest, highest) SETTING_BYTES, AT(member), .low = (lowest), .high = (highest)
#define DURATION(member) SETTING_DURATION, AT(member)
#define SHARE(member) SETTING_SHARE, AT(member)
#define RATE(member) SETTING_RATE, AT(member)
#define WORD(member, list) SETTING_WORD, AT(member), .words = (list)
/* The first word's number is not 0. */
#define WORD_FROM(member, list, first) WORD(member, list), .low = (first)
#define TEXT(member, checked) SETTING_TEXT, AT(member), .check = (checked)
#define TEXTS(member, checked, of) SETTING_TEXTS, AT(member), .check = (checked), .what = (of)
#define MAP(members) SETTING_MAP, .rows = (members)
#define TYPE(member, how) SETTING_TYPE, AT(member), .type = &(how)
/* Its type knows several members of the struct. */
#define WHOLE(how) SETTING_TYPE, .type = &(how)
