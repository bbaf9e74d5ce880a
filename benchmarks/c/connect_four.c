/* Connect four in plain C: the twin of benchmarks/yardsticks/connect_four/rules.py and
 * tabletop_core/engine.py.
 *
 * Same records byte for byte (the generated connect_four_layout.h takes State, Rules, Lane, Chooser
 * and all constants from Python), same random draws, so the same games. `s` is the state, `r` the
 * rules; cells are numbered as in rules.py.
 *
 * Two ways to write the hot parts:
 *   -DMERGED=0  the structure of the kernels, function for function;
 *   -DMERGED=1  a whole game in registers: the stones of the player to move and all stones, written
 *               to the record at the end.
 * Both with -DUSE_BMI2=0 or 1 (tabletop.h).
 */
#include <string.h>

#include "connect_four_layout.h"
#include "tabletop.h"
#include "engine.h"

#define COLUMNS (((Set)1 << NUM_COLUMNS) - 1)
#define COLUMN (((((Set)1 << ROW_BITS * NUM_ROWS) - 1)) / (((Set)1 << ROW_BITS) - 1))

typedef const Rules *restrict R;
typedef State *restrict S;

INLINE bool has_line(Set stones, int step) {
    Set pairs = stones & stones >> step;
    return (pairs & pairs >> 2 * step) != 0;
}

/* All directions at once: a branch for each is harder to predict than the rest is to calculate. */
INLINE bool has_four(Set stones) {
    return has_line(stones, 1) | has_line(stones, ROW_BITS - 1) | has_line(stones, ROW_BITS) |
           has_line(stones, ROW_BITS + 1);
}

INLINE Set free_columns(Set all) { return ~(all >> TOP_ROW) & COLUMNS; }

INLINE Set lowest_empty(Set all, int column) {
    Set empty = COLUMN << column & ~all;
    return empty & -empty;
}

INLINE void new_game(R r, S s) {
    (void)r;
    s->connect_four_version = VERSION;
    s->turn_count = s->decision_count = 0;
    s->end_reasons = s->is_truncated = s->current_player = 0;
    s->stones[0] = s->stones[1] = 0;
}

INLINE void final_result(R r, const State *s, double *points, bool *is_winner) {
    (void)r;
    for (int player = 0; player < NUM_PLAYERS; player++) {
        is_winner[player] = s->end_reasons != REASON_FOUR || player == s->current_player;
        points[player] = s->end_reasons == REASON_FOUR && is_winner[player];
    }
}

#if MERGED
#define HAS_OWN_PLAY_GAME 1

INLINE void play_game(R r, S s, uint64_t *chooser) {
    s->ruleset = r->digest;
    new_game(r, s);
    s->must_ask = 0;
    uint64_t rng = *chooser;
    Set own = 0, all = 0;
    unsigned turns = 0, decisions = 0;
    bool is_won;
    for (;;) {
        Set columns = free_columns(all);
        int count = popcount(columns), rank = 0;
        if (LIKELY(count > 1)) {
            rank = randbelow(&rng, (uint64_t)count);
            decisions++;
        }
        Set stone = lowest_empty(all, select_member(columns, rank));
        own |= stone;
        all |= stone;
        turns++;
        is_won = has_four(own);
        if (is_won || turns == NUM_CELLS)
            break;
        own ^= all;
    }
    unsigned last = (turns - 1) % NUM_PLAYERS;
    s->stones[last] = own;
    s->stones[1 - last] = all ^ own;
    s->turn_count = turns;
    s->decision_count = decisions;
    s->current_player = (uint8_t)last;
    s->end_reasons = is_won ? REASON_FOUR : REASON_FULL;
    memset(s->legal, 0, sizeof s->legal);
    *chooser = rng;
}

#else

INLINE void legal_actions(R r, S s) {
    (void)r;
    s->legal[0] = free_columns(s->stones[0] | s->stones[1]);
}

INLINE void apply_action(R r, S s, int action) {
    (void)r;
    int player = s->current_player;
    Set stones = s->stones[player] | lowest_empty(s->stones[0] | s->stones[1], action);
    s->stones[player] = stones;
    s->turn_count++;
    if (has_four(stones))
        s->end_reasons = REASON_FOUR;
    else if (s->turn_count == NUM_CELLS)
        s->end_reasons = REASON_FULL;
    else
        s->current_player = (uint8_t)(1 - player);
}

#endif

#include "games.h"
