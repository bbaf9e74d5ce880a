/* Whole games by random bots, like tabletop_core/engine.py; a twin includes this last.
 *
 * It must have new_game, legal_actions, apply_action and final_result like the kernels, or with
 * HAS_OWN_PLAY_GAME only play_game and final_result.
 */
#ifndef GAMES_H
#define GAMES_H

#include "engine.h"

uint8_t select_in_byte[256][8];

void make_tables(void) {
    for (int byte = 0; byte < 256; byte++)
        for (int index = 0, rank = 0; index < 8; index++)
            if (byte >> index & 1)
                select_in_byte[byte][rank++] = (uint8_t)index;
}

#if !HAS_OWN_PLAY_GAME

/* One loop for chosen and forced decisions. */
INLINE void play_game(const Rules *restrict r, State *restrict s, uint64_t *restrict chooser) {
    s->ruleset = r->digest;
    new_game(r, s);
    memset(s->legal, 0, sizeof s->legal);
    s->must_ask = 0;
    legal_actions(r, s);
    while (!is_over(s)) {
        int count = count_members(s->legal);
        int rank = 0;
        if (count > 1 || s->must_ask) {
            rank = randbelow(chooser, (uint64_t)count);
            s->decision_count += count > 1;
        }
        apply_action(r, s, select_in(s->legal, rank));
        memset(s->legal, 0, sizeof s->legal);
        s->must_ask = 0;
        if (!is_over(s))
            legal_actions(r, s);
    }
}

#endif

/* Games first .. end - 1 in one record.
 *
 * words [games][2], lanes [games], points and is_winner [games][players]; final_states [games] is
 * NULL unless the last position of every game is wanted. */
void play_games(const Rules *restrict r, State *restrict s, Chooser *chooser,
                const uint64_t *words, Lane *lanes, double *points, bool *is_winner,
                State *final_states, int64_t first, int64_t end) {
    for (int64_t k = first; k < end; k++) {
        s->rng = words[2 * k];
        chooser->rng = words[2 * k + 1];
        play_game(r, s, &chooser->rng);
        final_result(r, s, points + k * r->num_players, is_winner + k * r->num_players);
        lanes[k].length = s->decision_count;
        lanes[k].turns = s->turn_count;
        lanes[k].end_reasons = s->end_reasons;
        lanes[k].terminated = s->end_reasons != 0;
        lanes[k].truncated = s->is_truncated != 0;
        if (final_states)
            final_states[k] = *s;
    }
}

#endif
