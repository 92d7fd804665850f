#define LOG_MODULE "marker"

#include "capture/marker.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sodium.h>

#include "base/clock.h"
#include "base/id.h"
#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/moment.h"
#include "capture/record.h"
#include "capture/segment_file.h"

/* Prefix of an unfinished marker. A directory may contain one: a process may have died while
 * writing it. */
#define TEMPORARY_PREFIX ".CAPTURE-"
#define FILE_LIMIT 4096

static int read_file(const char *path, char text[FILE_LIMIT], size_t *ret_len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0) {
		return -errno;
	}
	ssize_t n = read(fd, text, FILE_LIMIT);
	int r = n < 0 ? -errno : 0;
	close(fd);
	*ret_len = n < 0 ? 0 : (size_t)n;
	return r;
}

static bool find_format(struct span text, int64_t *ret)
{
	struct json_token t;
	return json_find_member(text, "plumbline_capture", &t, NULL) &&
	       t.type == JSON_TOKEN_NUMBER && json_token_integer(&t, ret);
}

static bool find_key(struct span text, uint8_t key[32])
{
	struct json_token t;
	if (!json_find_member(text, "hash_key", &t, NULL) || t.type != JSON_TOKEN_STRING) {
		return false;
	}
	struct span hex = json_token_raw(&t);
	size_t n = 0;
	return hex.len == 64 && sodium_hex2bin(key, 32, hex.data, hex.len, NULL, &n, NULL) == 0 &&
	       n == 32;
}

static int parse(const char *path, struct span text, struct marker *ret, char **ret_error)
{
	int64_t format;
	if (!find_format(text, &format) || format < 1) {
		*ret_error =
		        xasprintf("%s is damaged, or is not the marker file of a capture", path);
		return -EBADMSG;
	}
	if (format > RECORD_FORMAT) {
		*ret_error = xasprintf(
		        "%s: the capture is of format %lld; this program knows formats up to %d",
		        path, (long long)format, RECORD_FORMAT);
		return -EPROTONOSUPPORT;
	}
	struct marker m = {.format = (uint32_t)format};
	if (!find_key(text, m.hash_key)) {
		*ret_error = xasprintf("%s is damaged: it has no hash_key of 64 hex digits", path);
		return -EBADMSG;
	}
	*ret = m;
	return 0;
}

int marker_read(const char *dir, struct marker *ret, char **ret_error)
{
	char *path = xasprintf("%s/%s", dir, MARKER_NAME);
	char text[FILE_LIMIT];
	size_t len = 0;
	struct stat st;
	int r = stat(dir, &st) < 0 ? -errno : 0;
	if (r < 0) {
		*ret_error = xasprintf("%s cannot be read: %s", dir,
		        strstr(dir, "://") ? "it is a URL, and a capture is a directory"
		                           : strerror(-r));
	} else if ((r = read_file(path, text, &len)) == 0) {
		r = parse(path, (struct span){text, len}, ret, ret_error);
	} else if (r == -ENOENT) {
		*ret_error = xasprintf("%s is not a capture: it has no file %s", dir, MARKER_NAME);
	} else if (r == -ENOTDIR) {
		*ret_error = xasprintf("%s is not a capture: it is a file, and a capture is a "
		                       "directory",
		        dir);
	} else {
		*ret_error = xasprintf("%s cannot be read: %s", path, strerror(-r));
	}
	free(path);
	return r;
}

static int has_other_files(const char *dir)
{
	DIR *d = opendir(dir);
	if (!d) {
		return -errno;
	}
	bool found = false;
	const struct dirent *entry;
	while (!found && (entry = readdir(d))) {
		const char *name = entry->d_name;
		found = strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
		        strcmp(name, MARKER_NAME) != 0 &&
		        strncmp(name, TEMPORARY_PREFIX, strlen(TEMPORARY_PREFIX)) != 0;
	}
	closedir(d);
	return found;
}

static void format_marker(const uint8_t *hash_key, struct buf *to)
{
	uint8_t key[32];
	char hex[65], created[MOMENT_TEXT_SIZE];
	if (hash_key) {
		memcpy(key, hash_key, sizeof(key));
	} else {
		randombytes_buf(key, sizeof(key));
	}
	sodium_bin2hex(hex, sizeof(hex), key, sizeof(key));
	buf_printf(to, "{\"plumbline_capture\": %d, \"created\": \"%s\", \"hash_key\": \"%s\"}\n",
	        RECORD_FORMAT, moment_format(clock_wall(), created), hex);
}

/* Writes the marker to a temporary file and links it into place complete. A second process finds
 * the marker of the first one. */
static int place_marker(const char *dir, struct span text)
{
	char id[ID_TEXT_SIZE];
	char *temporary = xasprintf("%s/" TEMPORARY_PREFIX "%s", dir, id_format(id_make(), id));
	char *path = xasprintf("%s/%s", dir, MARKER_NAME);
	int r = segment_write_file(temporary, text);
	if (r == 0) {
		r = link(temporary, path) < 0 && errno != EEXIST ? -errno : 0;
		unlink(temporary);
	}
	free(path);
	free(temporary);
	return r < 0 ? r : segment_sync_dir(dir);
}

bool marker_exists(const char *dir)
{
	char *path = xasprintf("%s/%s", dir, MARKER_NAME);
	struct stat st;
	bool found = lstat(path, &st) == 0;
	free(path);
	return found;
}

/* File names and times also reveal something about the capture. */
static int make_private(const char *dir, char **ret_error)
{
	struct stat st;
	if (stat(dir, &st) < 0 || !(st.st_mode & 077)) {
		return 0;
	}
	unsigned mode = st.st_mode & 07777;
	if (chmod(dir, 0700) < 0) {
		int r = -errno;
		*ret_error = xasprintf(
		        "%s is open to other users (mode %04o), and its mode can't be changed: %s; "
		        "name a directory in it, or let its owner set mode 0700",
		        dir, mode, strerror(-r));
		return r;
	}
	char octal[8];
	snprintf(octal, sizeof(octal), "%04o", mode);
	log_warn("{path} was open to other users (mode {mode}); its mode is 0700 now.",
	        log_field("path", dir), log_field("mode", octal));
	return 0;
}

static int make(const char *dir, const uint8_t *hash_key, bool *ret_is_new, char **ret_error)
{
	*ret_is_new = mkdir(dir, 0700) == 0;
	if (!*ret_is_new && errno != EEXIST) {
		int r = -errno;
		*ret_error = xasprintf("the capture %s cannot be made: %s", dir, strerror(-r));
		return r;
	}
	int others = has_other_files(dir);
	/* Checks again: another process may have created its marker and its first segment since
	 * the last check. */
	if (marker_exists(dir)) {
		return 0;
	}
	if (others > 0) {
		*ret_error = xasprintf(
		        "%s has other files and is not a capture; name an empty or a new directory",
		        dir);
		return -EEXIST;
	}
	int r = others < 0 ? 0 : make_private(dir, ret_error);
	if (r < 0) {
		return r;
	}
	struct buf text = {0};
	r = others;
	if (r == 0) {
		format_marker(hash_key, &text);
		r = place_marker(dir, buf_span(&text));
	}
	if (r < 0) {
		*ret_error = xasprintf("%s cannot be used as a capture: %s", dir, strerror(-r));
	}
	buf_finish(&text);
	return r;
}

int marker_make(const char *dir, const uint8_t *hash_key, struct marker *ret, char **ret_error)
{
	bool is_new = false;
	int r = marker_exists(dir) ? 0 : make(dir, hash_key, &is_new, ret_error);
	if (r == 0) {
		r = marker_read(dir, ret, ret_error);
	}
	if (r < 0) {
		return r;
	}
	ret->is_new = is_new;
	return make_private(dir, ret_error);
}

void marker_drop(const char *dir)
{
	if (has_other_files(dir) == 0) {
		char *path = xasprintf("%s/%s", dir, MARKER_NAME);
		unlink(path);
		rmdir(dir);
		free(path);
	}
}
