#include "base/reserve.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/mem.h"

#define PIECES 64
#define PIECE_SIZE ((size_t)64 << 10)
#define RETRY_NS (10 * UINT64_C(1000000))

static _Atomic(void *) pieces[PIECES];
static atomic_uint missing;
static _Atomic(uint64_t) tried_at; /* ns, mono */
static atomic_flag refilling = ATOMIC_FLAG_INIT;

static _Thread_local struct {
	bool entered;
	void *memory; /* NULL: none was needed, or it was let go of */
	size_t size;
} room;

static void *map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* As many pieces as can be had; one thread at a time. */
static void refill(void)
{
	for (unsigned i = 0; i < PIECES && atomic_load(&missing); i++) {
		if (atomic_load(&pieces[i])) {
			continue;
		}
		void *p = map(PIECE_SIZE);
		if (!p) {
			return;
		}
		atomic_store(&pieces[i], p);
		atomic_fetch_sub(&missing, 1);
	}
}

void reserve_open(void)
{
	atomic_store(&missing, PIECES);
	refill();
}

bool reserve_is_short(void)
{
	if (!atomic_load_explicit(&missing, memory_order_relaxed)) {
		return false;
	}
	uint64_t now = clock_mono();
	if (now - atomic_load(&tried_at) >= RETRY_NS && !atomic_flag_test_and_set(&refilling)) {
		atomic_store(&tried_at, now);
		refill();
		atomic_flag_clear(&refilling);
	}
	return atomic_load(&missing) > 0;
}

static bool let_go_of_room(void)
{
	void *memory = room.memory;
	room.memory = NULL;
	return memory && munmap(memory, room.size) == 0;
}

bool reserve_let_go(void)
{
	if (let_go_of_room()) {
		return true;
	}
	for (unsigned i = 0; i < PIECES; i++) {
		void *p = atomic_exchange(&pieces[i], NULL);
		if (p) {
			/* Not at once: what has just failed would only fail again. */
			atomic_store(&tried_at, clock_mono());
			atomic_fetch_add(&missing, 1);
			munmap(p, PIECE_SIZE);
			return true;
		}
	}
	return false;
}

bool room_enter(size_t bytes)
{
	expect(!room.entered);
	void *memory = NULL;
	if (bytes > MEM_SMALL) {
		memory = map(bytes);
		if (!memory) {
			return false;
		}
	}
	room.entered = true;
	room.memory = memory;
	room.size = bytes;
	return true;
}

bool room_widen(size_t bytes)
{
	expect(room.entered);
	size_t size = room.size + bytes;
	if (room.memory) {
		void *memory = mremap(room.memory, room.size, size, MREMAP_MAYMOVE);
		if (memory == MAP_FAILED) {
			return false;
		}
		room.memory = memory;
	} else if (size > MEM_SMALL) {
		room.memory = map(size);
		if (!room.memory) {
			return false;
		}
	}
	room.size = size;
	return true;
}

void room_leave(void)
{
	expect(room.entered);
	room.entered = false;
	(void)let_go_of_room();
}
