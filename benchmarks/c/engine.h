/* What the legal set of a state record holds: for all twins, after the generated layout. */
#ifndef ENGINE_H
#define ENGINE_H

#include "tabletop.h"

#define LEGAL_WORDS ((int)(sizeof(((State *)0)->legal) / sizeof(Set)))

INLINE bool is_over(const State *s) { return s->end_reasons || s->is_truncated; }

INLINE int count_members(const Set *words) {
    int count = 0;
    for (int k = 0; k < LEGAL_WORDS; k++)
        count += popcount(words[k]);
    return count;
}

/* Index of the member with `rank` members below it. */
INLINE int select_in(const Set *words, int rank) {
    for (int k = 0; k < LEGAL_WORDS; k++) {
        int count = popcount(words[k]);
        if (rank < count)
            return 64 * k + select_member(words[k], rank);
        rank -= count;
    }
    return -1;
}

INLINE void add_block(Set *restrict words, int first, Set members) {
    int place = first % 64;
    words[first / 64] |= members << place;
    if (place) {
        Set overflow = members >> (64 - place);
        if (overflow)
            words[first / 64 + 1] |= overflow;
    }
}

#endif
