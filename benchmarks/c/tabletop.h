/* Sets as machine words and the random generator: the C side of tabletop_core/{bits,rng,engine}.py.
 *
 * Knob: -DUSE_BMI2=1 takes the processor's bit deposit and extract instructions where the kernels
 * use a table and loops.
 */
#ifndef TABLETOP_H
#define TABLETOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if USE_BMI2 && defined(__BMI2__)
#include <immintrin.h>
#define HAS_BIT_DEPOSIT 1
#else
#define HAS_BIT_DEPOSIT 0
#endif

#define INLINE static inline __attribute__((always_inline))
#define NOT_INLINE static __attribute__((noinline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* --- sets of up to 64 things ------------------------------------------------------------- */

typedef uint64_t Set;

INLINE int popcount(Set set) { return __builtin_popcountll(set); }
INLINE int lowest(Set set) { return __builtin_ctzll(set); }
INLINE Set bit(int64_t index) { return (Set)1 << index; }
INLINE Set below(int64_t count) { return ((Set)1 << count) - 1; }
INLINE bool has(Set set, int64_t index) { return set >> index & 1; }
INLINE Set without_lowest(Set set) { return set & (set - 1); }

extern uint8_t select_in_byte[256][8];
void make_tables(void);

/* Index of the member with `rank` members below it. */
INLINE int select_member(Set set, int rank) {
#if HAS_BIT_DEPOSIT
    return lowest(_pdep_u64(bit(rank), set));
#else
    int base = 0;
    int count = popcount(set & 0xFFFFFFFF);
    if (rank >= count) {
        rank -= count;
        set >>= 32;
        base = 32;
    }
    count = popcount(set & 0xFFFF);
    if (rank >= count) {
        rank -= count;
        set >>= 16;
        base += 16;
    }
    count = popcount(set & 0xFF);
    if (rank >= count) {
        rank -= count;
        set >>= 8;
        base += 8;
    }
    return base + select_in_byte[set & 0xFF][rank];
#endif
}

/* The ranks within `whole` of the members of its subset `part`. */
INLINE Set ranks(Set whole, Set part) {
#if HAS_BIT_DEPOSIT
    return _pext_u64(part, whole);
#else
    Set found = 0;
    for (; part; part = without_lowest(part))
        found |= bit(popcount(whole & (part ^ (part - 1)) >> 1));
    return found;
#endif
}

/* The members of `whole` whose ranks are in `chosen`; inverse of `ranks`. */
INLINE Set with_ranks(Set whole, Set chosen) {
#if HAS_BIT_DEPOSIT
    return _pdep_u64(chosen, whole);
#else
    Set found = 0;
    for (; chosen; chosen >>= 1) {
        if (chosen & 1)
            found |= whole & -whole;
        whole = without_lowest(whole);
    }
    return found;
#endif
}

/* --- random numbers ---------------------------------------------------------------------- */

INLINE uint64_t next_word(uint64_t *rng) {
    uint64_t word = *rng;
    word ^= word << 13;
    word ^= word >> 7;
    word ^= word << 17;
    *rng = word;
    return word;
}

NOT_INLINE uint64_t reject(uint64_t *rng, uint64_t count, uint64_t product) {
    uint64_t threshold = (((uint64_t)1 << 32) - count) % count;
    while ((uint32_t)product < threshold)
        product = (next_word(rng) >> 32) * count;
    return product;
}

/* A uniform number in 0 .. count - 1. */
INLINE int randbelow(uint64_t *rng, uint64_t count) {
    uint64_t product = (next_word(rng) >> 32) * count;
    if (UNLIKELY((uint32_t)product < count))
        product = reject(rng, count, product);
    return (int)(product >> 32);
}

INLINE int draw(uint64_t *rng, Set members) {
    return select_member(members, randbelow(rng, (uint64_t)popcount(members)));
}

#endif
