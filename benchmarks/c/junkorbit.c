/* Junk Orbit in plain C: the twin of junkorbit_env/rules.py and tabletop_core/engine.py.
 *
 * Same records byte for byte (the generated junkorbit_layout.h takes State, Rules, Lane, Chooser
 * and all constants from Python), same random draws, so the same games. `s` is the state, `r` the
 * rules. Section numbers are those of junkorbit_env/RULES.md.
 *
 * Two ways to write the hot parts:
 *   -DMERGED=0  the structure of the kernels, function for function;
 *   -DMERGED=1  what is legal, the choice and what it does in one place for each prompt, with only
 *               the words of the legal set that the prompt can fill.
 * Both with -DUSE_BMI2=0 or 1 (tabletop.h).
 */
#include <string.h>

#include "junkorbit_layout.h"
#include "tabletop.h"
#include "engine.h"

#define CITY_BITS below(NUM_CITIES)

typedef const Rules *restrict R;
typedef State *restrict S;

#if MERGED
#define KERNEL INLINE
#else
#define KERNEL static
#endif

/* --- helpers ----------------------------------------------------------------------------- */

INLINE int next_player(R r, int player) { return player + 1 < r->num_players ? player + 1 : 0; }

INLINE bool is_empty(const Set *tiles) { return !(tiles[0] | tiles[1]); }

INLINE int count_tiles(const Set *tiles) { return popcount(tiles[0]) + popcount(tiles[1]); }

INLINE void add_tile(Set *tiles, unsigned tile) { tiles[tile / 64] |= bit(tile % 64); }

INLINE void remove_tile(Set *tiles, unsigned tile) { tiles[tile / 64] &= ~bit(tile % 64); }

INLINE unsigned first_of_kind(R r, const Set *tiles, int kind) {
    Set low = tiles[0] & r->kind_tiles[kind][0];
#if MERGED
    Set high = tiles[1] & r->kind_tiles[kind][1];
    return (unsigned)lowest(low ? low : high) + (low ? 0 : 64);
#else
    if (low)
        return (unsigned)lowest(low);
    return 64 + (unsigned)lowest(tiles[1] & r->kind_tiles[kind][1]);
#endif
}

/* Kinds of the tiles of both words, put together in registers. */
typedef struct {
    Set low, high;
} Kinds;

INLINE Kinds with_kinds(R r, Kinds kinds, Set tiles, int offset) {
    for (; tiles; tiles = without_lowest(tiles)) {
        unsigned kind = r->kind_of[offset + lowest(tiles)];
        Set in_high = kind / 64;
        kinds.low |= (1 - in_high) << kind % 64;
        kinds.high |= in_high << kind % 64;
    }
    return kinds;
}

INLINE Kinds kinds_in(R r, Set low, Set high) {
    return with_kinds(r, with_kinds(r, (Kinds){0, 0}, low, 0), high, 64);
}

INLINE void add_kinds(R r, S s, int first, Set low, Set high) {
    Kinds kinds = kinds_in(r, low, high);
    add_block(s->legal, first, kinds.low);
    add_block(s->legal, first + 64, kinds.high);
}

INLINE void ask(S s, int prompt, int player) {
    s->prompt = (uint8_t)prompt;
    s->current_player = (uint8_t)player;
}

INLINE void forget_launch(S s) {
    s->launched = NO_TILE;
    s->heading = NO_HEADING;
    s->landing = NO_CITY;
}

INLINE void forget_hits(S s) {
    s->hit_cause = CAUSE_NONE;
    s->victim = NO_PLAYER;
    s->victims = 0;
}

/* --- drawing ----------------------------------------------------------------------------- */

KERNEL bool draw_to(R r, S s, int stack, Set *restrict tiles) {
    Set low = s->stacks[0] & r->stack_tiles[stack][0];
    Set high = s->stacks[1] & r->stack_tiles[stack][1];
    int num_low = popcount(low), size = num_low + popcount(high);
    if (!size)
        return false;
    int rank = randbelow(&s->rng, (uint64_t)size);
    bool is_low = rank < num_low;
    int index = select_member(is_low ? low : high, is_low ? rank : rank - num_low);
    unsigned tile = (unsigned)(is_low ? index : 64 + index);
    remove_tile(s->stacks, tile);
    add_tile(tiles, tile);
    return true;
}

INLINE void refill(R r, S s, int city) {
    if (!draw_to(r, s, r->stack_of[city], s->cities[city]) && !s->final_turns_left)
        s->final_turns_left = (uint8_t)r->num_players;
}

/* --- steps 5 and 6, §7 end of a turn ----------------------------------------------------- */

INLINE Set beam_sources(R r, const State *s, int city) {
    Set sources = 0;
    for (Set cities = r->neighbours[city]; cities; cities = without_lowest(cities))
        if (count_tiles(s->cities[lowest(cities)]) > 1)
            sources |= cities & -cities;
    return sources;
}

KERNEL bool arrive(R r, S s, int player) {
    int city = s->ships[player];
    for (int word = 0; word < TILE_WORDS; word++) {
        s->cargo[player][word] |= s->cities[city][word];
        s->cities[city][word] = 0;
    }
    if (s->powers[player] == TRACTOR_BEAM && beam_sources(r, s, city)) {
        ask(s, PROMPT_BEAM, player);
        return true;
    }
    refill(r, s, city);
    return false;
}

INLINE bool begin_turn(R r, S s) {
    int player = s->turn_player;
    if (is_empty(s->cargo[player]))
        return arrive(r, s, player);
    ask(s, PROMPT_LAUNCH, player);
    return true;
}

static void finish_turn(R r, S s) {
    do {
        s->turn_count++;
        if (s->final_turns_left) {
            s->final_turns_left--;
            if (!s->final_turns_left)
                s->end_reasons = REASON_STACK_EMPTY;
        }
        if (!s->end_reasons && r->max_turns > 0 && s->turn_count >= r->max_turns)
            s->is_truncated = 1;
        if (s->end_reasons || s->is_truncated) {
            ask(s, PROMPT_OVER, s->turn_player);
            return;
        }
        s->turn_player = (uint8_t)next_player(r, s->turn_player);
    } while (!begin_turn(r, s));
}

/* --- §4 set-up --------------------------------------------------------------------------- */

INLINE void clear_table(R r, S s) {
    s->junkorbit_version = VERSION;
    s->turn_count = 0;
    s->decision_count = 0;
    s->end_reasons = 0;
    s->is_truncated = 0;
    s->must_ask = 0;
    s->final_turns_left = 0;
    memset(s->cities, 0, sizeof s->cities);
    memset(s->cargo, 0, sizeof s->cargo);
    memset(s->deliveries, 0, sizeof s->deliveries);
    memset(s->powers, NO_POWER, sizeof s->powers);
    memset(s->ships, NO_CITY, sizeof s->ships);
    for (int player = 0; player < r->num_players; player++)
        s->ships[player] = (uint8_t)r->start_city;
    memcpy(s->stacks, r->tiles, sizeof s->stacks);
    forget_launch(s);
    forget_hits(s);
    s->beam_city = NO_CITY;
}

INLINE void deal_ships(R r, S s) {
    Set ships = below(NUM_SHIPS);
    for (int player = 0; player < r->num_players; player++) {
        int ship = draw(&s->rng, ships);
        ships &= ~bit(ship);
        s->powers[player] = r->power_of[ship];
    }
}

INLINE void deal_cargo(R r, S s) {
    for (int player = 0; player < r->num_players; player++) {
        for (int k = 0; k < ONES_PER_PLAYER; k++)
            add_tile(s->cargo[player], (unsigned)(FIRST_STARTER + player * ONES_PER_PLAYER + k));
        for (int k = 0; k < TWOS_PER_PLAYER; k++)
            add_tile(s->cargo[player], (unsigned)(FIRST_TWO + player * TWOS_PER_PLAYER + k));
        for (int stack = 0; stack < NUM_STACKS; stack++)
            draw_to(r, s, stack, s->cargo[player]);
    }
}

static void new_game(R r, S s) {
    clear_table(r, s);
    for (int k = 0; k < r->num_cities; k++) {
        int city = r->seed_order[k];
        draw_to(r, s, r->stack_of[city], s->cities[city]);
    }
    if (r->has_powers)
        deal_ships(r, s);
    deal_cargo(r, s);
    s->turn_player = (uint8_t)randbelow(&s->rng, (uint64_t)r->num_players);
    begin_turn(r, s);
}

/* --- D4 Direct delivery ------------------------------------------------------------------ */

INLINE const Set *ports(R r, const State *s, int player) {
    int city = s->ships[player];
    return s->powers[player] == ANY_PORT ? r->port_tiles[city] : r->city_tiles[city];
}

KERNEL void ask_deliver(R r, S s, int player) {
    const Set *here = ports(r, s, player);
    if ((s->cargo[player][0] & here[0]) | (s->cargo[player][1] & here[1]))
        ask(s, PROMPT_DELIVER, player);
    else if (!arrive(r, s, player))
        finish_turn(r, s);
}

INLINE void apply_deliver(R r, S s, int player, int action) {
    if (action == DONE) {
        if (!arrive(r, s, player))
            finish_turn(r, s);
    } else {
        unsigned tile = first_of_kind(r, s->cargo[player], action - TILE);
        remove_tile(s->cargo[player], tile);
        add_tile(s->deliveries[player], tile);
        ask_deliver(r, s, player);
    }
}

/* --- D2 Hit ------------------------------------------------------------------------------ */

INLINE Set opponents_in(R r, const State *s, Set cities) {
    Set players = 0;
    for (int player = 0; player < r->num_players; player++)
        players |= (cities >> s->ships[player] & 1) << player;
    return players & ~bit(s->turn_player);
}

INLINE bool ask_payback(S s) {
    int shooter = s->turn_player;
    if (s->powers[s->victim] != PAYBACK)
        return false;
    if (is_empty(s->cargo[shooter]) && is_empty(s->deliveries[shooter]))
        return false;
    ask(s, PROMPT_PAYBACK, shooter);
    return true;
}

INLINE bool ask_victim(S s, int victim) {
    if (s->powers[s->turn_player] == AIMED_SHOT && s->hit_cause == CAUSE_LAUNCH &&
        !is_empty(s->cargo[victim])) {
        ask(s, PROMPT_AIM, s->turn_player);
        return true;
    }
    if (is_empty(s->cargo[victim]) && is_empty(s->deliveries[victim]))
        return false;
    ask(s, PROMPT_HIT, victim);
    return true;
}

INLINE void after_hits(R r, S s, int cause) {
    if (cause == CAUSE_LAUNCH)
        ask(s, PROMPT_MOVE, s->turn_player);
    else
        ask_deliver(r, s, s->turn_player);
}

static void resume_hits(R r, S s) {
    while (s->victims) {
        int victim = next_player(r, s->turn_player);
        while (!has(s->victims, victim))
            victim = next_player(r, victim);
        s->victim = (uint8_t)victim;
        s->victims &= (uint8_t)~bit(victim);
        if (ask_victim(s, victim) || ask_payback(s))
            return;
    }
    int cause = s->hit_cause;
    forget_hits(s);
    after_hits(r, s, cause);
}

INLINE void begin_hits(R r, S s, int cause, Set cities) {
    Set victims = opponents_in(r, s, cities);
    if (victims) {
        s->hit_cause = (uint8_t)cause;
        s->victims = (uint8_t)victims;
        resume_hits(r, s);
    } else {
        after_hits(r, s, cause);
    }
}

INLINE void after_drop(R r, S s) {
    if (!ask_payback(s))
        resume_hits(r, s);
}

INLINE void place_dropped(S s, int victim, unsigned tile) {
    int shooter = s->turn_player;
    if (s->powers[shooter] == BOARDERS && s->hit_cause == CAUSE_LAUNCH)
        add_tile(s->cargo[shooter], tile);
    else
        add_tile(s->cities[s->ships[victim]], tile);
}

INLINE unsigned give_up(R r, S s, int player, int action) {
    bool is_delivered = action >= DELIVERED;
    Set *tiles = is_delivered ? s->deliveries[player] : s->cargo[player];
    unsigned tile = first_of_kind(r, tiles, action - (is_delivered ? DELIVERED : TILE));
    remove_tile(tiles, tile);
    return tile;
}

INLINE void apply_hit(R r, S s, int player, int action) {
    if (action != DONE)
        place_dropped(s, player, give_up(r, s, player, action));
    after_drop(r, s);
}

INLINE void apply_aim(R r, S s, int kind) {
    int victim = s->victim;
    unsigned tile = first_of_kind(r, s->cargo[victim], kind);
    remove_tile(s->cargo[victim], tile);
    place_dropped(s, victim, tile);
    after_drop(r, s);
}

INLINE void apply_payback(R r, S s, int player, int action) {
    add_tile(s->cities[s->ships[player]], give_up(r, s, player, action));
    resume_hits(r, s);
}

/* --- D1 Launch, D3 Move ------------------------------------------------------------------ */

INLINE void apply_land(R r, S s, int player, int choice) {
    int heading = choice >= NUM_CITIES;
    int landing = choice - heading * NUM_CITIES;
    unsigned tile = s->launched;
    s->heading = (uint8_t)heading;
    s->landing = (uint8_t)landing;
    remove_tile(s->cargo[player], tile);
    add_tile(r->destination_of[tile] == landing ? s->deliveries[player] : s->cities[landing], tile);
    Set cities = bit(landing);
    if (s->powers[player] == THROUGH_SHOT)
        cities |= r->passed[s->ships[player]][heading][r->value_of[tile]][landing];
    begin_hits(r, s, CAUSE_LAUNCH, cities);
}

INLINE Set landings(R r, const State *s, int player) {
    return r->landings[s->ships[player]][r->value_of[s->launched]];
}

INLINE Set moves(R r, const State *s, int player) {
    int city = s->ships[player], distance = r->value_of[s->launched];
    Set both = r->landings[city][distance];
    if (s->powers[player] == SHARP_TURN)
        both = r->sharp_landings[city][distance];
    else if (s->powers[player] == OVERTHRUST)
        both |= r->landings[city][distance + 1];
    return (s->heading == CLOCKWISE ? both >> NUM_CITIES : both) & CITY_BITS;
}

INLINE void apply_move(R r, S s, int player, int city) {
    s->ships[player] = (uint8_t)city;
    forget_launch(s);
    if (s->powers[player] == RAM) {
        begin_hits(r, s, CAUSE_RAM, bit(city));
    } else {
        ask_deliver(r, s, player);
    }
}

/* --- §8 Tractor beam --------------------------------------------------------------------- */

INLINE void finish_beam(R r, S s, int player) {
    refill(r, s, s->ships[player]);
    finish_turn(r, s);
}

INLINE void apply_beam(R r, S s, int player, int action) {
    if (action == DONE) {
        finish_beam(r, s, player);
    } else {
        s->beam_city = (uint8_t)(action - BEAM);
        s->prompt = PROMPT_BEAM_TILE;
    }
}

INLINE void apply_beam_tile(R r, S s, int player, int kind) {
    Set *here = s->cities[s->beam_city];
    unsigned tile = first_of_kind(r, here, kind);
    remove_tile(here, tile);
    add_tile(s->cargo[player], tile);
    s->beam_city = NO_CITY;
    finish_beam(r, s, player);
}

/* --- §6 what is legal, and what actions do ----------------------------------------------- */

KERNEL void legal_actions(R r, S s) {
    int player = s->current_player;
    const Set *cargo = s->cargo[player], *delivered = s->deliveries[player], *here;
    switch (s->prompt) {
    case PROMPT_LAUNCH:
        add_kinds(r, s, TILE, cargo[0], cargo[1]);
        break;
    case PROMPT_LAND:
        add_block(s->legal, LAND, landings(r, s, player));
        break;
    case PROMPT_HIT:
        if (s->powers[player] == ARMOUR)
            add_block(s->legal, DONE, 1); /* fall through */
    case PROMPT_PAYBACK:
        add_kinds(r, s, TILE, cargo[0], cargo[1]);
        add_kinds(r, s, DELIVERED, delivered[0], delivered[1]);
        break;
    case PROMPT_AIM:
        here = s->cargo[s->victim];
        add_kinds(r, s, TILE, here[0], here[1]);
        break;
    case PROMPT_MOVE:
        add_block(s->legal, MOVE, moves(r, s, player));
        break;
    case PROMPT_DELIVER:
        here = ports(r, s, player);
        add_kinds(r, s, TILE, cargo[0] & here[0], cargo[1] & here[1]);
        add_block(s->legal, DONE, 1);
        break;
    case PROMPT_BEAM:
        add_block(s->legal, BEAM, beam_sources(r, s, s->ships[player]));
        add_block(s->legal, DONE, 1);
        break;
    case PROMPT_BEAM_TILE:
        here = s->cities[s->beam_city];
        add_kinds(r, s, TILE, here[0], here[1]);
        break;
    default:
        break;
    }
}

INLINE void apply_launch(R r, S s, int player, int kind) {
    s->launched = (uint8_t)first_of_kind(r, s->cargo[player], kind);
    s->prompt = PROMPT_LAND;
}

KERNEL void apply_action(R r, S s, int action) {
    int player = s->current_player;
    switch (s->prompt) {
    case PROMPT_LAUNCH:
        apply_launch(r, s, player, action - TILE);
        break;
    case PROMPT_LAND:
        apply_land(r, s, player, action - LAND);
        break;
    case PROMPT_HIT:
        apply_hit(r, s, player, action);
        break;
    case PROMPT_AIM:
        apply_aim(r, s, action - TILE);
        break;
    case PROMPT_PAYBACK:
        apply_payback(r, s, player, action);
        break;
    case PROMPT_MOVE:
        apply_move(r, s, player, action - MOVE);
        break;
    case PROMPT_DELIVER:
        apply_deliver(r, s, player, action);
        break;
    case PROMPT_BEAM:
        apply_beam(r, s, player, action);
        break;
    default:
        apply_beam_tile(r, s, player, action - TILE);
    }
}

/* --- §7 score and ties ------------------------------------------------------------------- */

INLINE int64_t delivered_points(R r, const State *s, int player) {
    int64_t points = 0;
    for (int word = 0; word < TILE_WORDS; word++)
        for (Set tiles = s->deliveries[player][word]; tiles; tiles = without_lowest(tiles))
            points += r->value_of[64 * word + lowest(tiles)];
    return points;
}

static void final_result(R r, const State *s, double *points, bool *is_winner) {
    int64_t keys[MAX_PLAYERS], best = -1;
    for (int player = 0; player < r->num_players; player++) {
        int64_t total = delivered_points(r, s, player);
        points[player] = (double)total;
        keys[player] = total * (NUM_TILES + 1) + count_tiles(s->deliveries[player]);
        best = keys[player] > best ? keys[player] : best;
    }
    for (int player = 0; player < r->num_players; player++)
        is_winner[player] = keys[player] == best;
}

/* --- the loop over decisions ------------------------------------------------------------- */

#if MERGED
#define HAS_OWN_PLAY_GAME 1

/* Two neighbouring words of the legal set, the first of which begins with action `first`. */
INLINE int choose(S s, uint64_t *rng, int first, Set low, Set high) {
    Set *words = s->legal + first / 64;
    int num_low = popcount(low), count = num_low + popcount(high), rank = 0;
    words[0] = low;
    words[1] = high;
    if (count > 1) {
        rank = randbelow(rng, (uint64_t)count);
        s->decision_count++;
    }
    bool is_low = rank < num_low;
    int index = select_member(is_low ? low : high, is_low ? rank : rank - num_low);
    words[0] = words[1] = 0;
    return first + (is_low ? index : 64 + index);
}

/* All words of the legal set, for the prompts that come seldom. */
INLINE int choose_from_all(S s, uint64_t *rng) {
    int count = count_members(s->legal), rank = 0;
    if (count > 1) {
        rank = randbelow(rng, (uint64_t)count);
        s->decision_count++;
    }
    int action = select_in(s->legal, rank);
    memset(s->legal, 0, sizeof s->legal);
    return action;
}

_Static_assert(TILE == 0 && LAND / 64 + 1 == (LAND + NUM_HEADINGS * NUM_CITIES - 1) / 64 &&
                   MOVE / 64 == (MOVE + NUM_CITIES - 1) / 64,
               "the blocks lie otherwise in the words");

INLINE void play_decision(R r, S s, uint64_t *rng) {
    int player = s->current_player;
    Kinds kinds;
    Set cities;
    switch (s->prompt) {
    case PROMPT_LAUNCH:
        kinds = kinds_in(r, s->cargo[player][0], s->cargo[player][1]);
        apply_launch(r, s, player, choose(s, rng, TILE, kinds.low, kinds.high));
        break;
    case PROMPT_LAND:
        cities = landings(r, s, player);
        apply_land(r, s, player,
                   choose(s, rng, LAND / 64 * 64, cities << LAND % 64, cities >> (64 - LAND % 64)) -
                       LAND);
        break;
    case PROMPT_MOVE:
        cities = moves(r, s, player);
        apply_move(r, s, player, choose(s, rng, MOVE / 64 * 64, cities << MOVE % 64, 0) - MOVE);
        break;
    default:
        legal_actions(r, s);
        apply_action(r, s, choose_from_all(s, rng));
    }
}

INLINE void play_game(R r, S s, uint64_t *chooser) {
    s->ruleset = r->digest;
    new_game(r, s);
    memset(s->legal, 0, sizeof s->legal);
    s->must_ask = 0;
    uint64_t rng = *chooser;
    do
        play_decision(r, s, &rng);
    while (!is_over(s));
    *chooser = rng;
}

#endif

#include "games.h"
