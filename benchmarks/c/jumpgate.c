/* Jump Gate in plain C: the twin of jumpgate_env/rules.py and tabletop_core/engine.py.
 *
 * Same records byte for byte (the generated jumpgate_layout.h takes State, Rules, Lane, Chooser
 * and all constants from Python), same random draws, so the same games. `s` is the state, `r` the
 * rules. Section numbers are those of jumpgate_env/RULES.md.
 *
 * Two ways to write the hot parts:
 *   -DMERGED=0  the structure of the kernels, function for function;
 *   -DMERGED=1  legal sets put together in registers and written once, wanted cards found by code
 *               instead of by planet, the end of the game tested only after an action that can
 *               bring it.
 * Both with -DUSE_BMI2=0 or 1 (tabletop.h).
 */
#include <string.h>

#include "jumpgate_layout.h"
#include "tabletop.h"
#include "engine.h"

#define ALL_CARDS (((Set)1 << NUM_CARDS) - 1)
#define ALL_PLANET_CARDS (((Set)1 << NUM_PLANET_CARDS) - 1)

typedef const Rules *restrict R;
typedef State *restrict S;

/* --- helpers ----------------------------------------------------------------------------- */

INLINE Set all_marks(const State *s) {
    Set cards = 0;
    for (int player = 0; player < MAX_PLAYERS; player++)
        cards |= s->marks[player];
    return cards;
}

INLINE Set unmarked(const State *s, int position) { return s->face_up[position] & ~all_marks(s); }

INLINE Set kinds_in(R r, Set cards) {
    Set kinds = 0;
    for (; cards; cards = without_lowest(cards))
        kinds |= bit(r->kind_of[lowest(cards)]);
    return kinds;
}

INLINE Set first_of_kind(R r, Set cards, int kind) {
    Set found = cards & r->kinds[kind];
    return found & -found;
}

#if MERGED
INLINE Set slots(Set hand, Set cards) { return ranks(hand, cards); }
#else
INLINE Set slots(Set hand, Set cards) {
#if HAS_BIT_DEPOSIT
    return ranks(hand, cards);
#else
    Set found = 0;
    for (int slot = 0; hand; slot++, hand = without_lowest(hand))
        if (has(cards, lowest(hand)))
            found |= bit(slot);
    return found;
#endif
}
#endif

INLINE void discard(S s, int player, Set cards) {
    s->hands[player] &= ~cards;
    s->discard |= cards;
    for (; cards; cards = without_lowest(cards))
        s->held_since[lowest(cards)] = 0;
}

INLINE void collect(S s, int player, int position, Set cards) {
    s->face_up[position] &= ~cards;
    s->marks[player] &= ~cards;
    s->collected[player] |= cards;
}

INLINE void ask(S s, int prompt) {
    s->prompt = (uint8_t)prompt;
    s->pending_action = PENDING_NOTHING;
    s->pending_target = NO_TARGET;
    s->pending_resource = NO_KIND;
}

INLINE void ask_payment(S s, int action, int target, int resource) {
    s->prompt = PROMPT_SPEND;
    s->pending_action = (uint8_t)action;
    s->pending_target = (uint8_t)target;
    s->pending_resource = (uint8_t)resource;
}

INLINE void begin_turn(S s) {
    s->actions_left = ACTIONS_PER_TURN;
    ask(s, PROMPT_MAIN);
}

/* --- §2 set-up --------------------------------------------------------------------------- */

INLINE void clear_table(S s) {
    s->jumpgate_version = VERSION;
    s->turn_count = 0;
    s->decision_count = 0;
    s->end_reasons = 0;
    s->is_truncated = 0;
    s->must_ask = 0;
    s->final_turns_left = 0;
    s->deck = ALL_CARDS;
    s->unseen = ALL_CARDS;
    s->discard = 0;
    s->removed = 0;
    memset(s->marks, 0, sizeof s->marks);
    memset(s->collected, 0, sizeof s->collected);
    memset(s->hands, 0, sizeof s->hands);
    memset(s->hidden, 0, sizeof s->hidden);
    memset(s->held_since, 0, sizeof s->held_since);
    memset(s->face_up, 0, sizeof s->face_up);
    memset(s->face_down, 0, sizeof s->face_down);
    memset(s->ring, 0, sizeof s->ring);
    memset(s->owners, NO_PLAYER, sizeof s->owners);
    memset(s->locations, GATE, sizeof s->locations);
}

INLINE void lay_ring(R r, S s) {
    Set planets = ALL_PLANET_CARDS;
    for (int position = 0; position < r->num_planets; position++) {
        int planet = draw(&s->rng, planets);
        planets &= ~bit(planet);
        s->ring[position] = (uint8_t)planet;
    }
}

INLINE void deal_hidden(R r, S s) {
    Set aside = 0;
    for (int player = 0; player < r->num_players; player++)
        for (int k = 0; k < r->hidden_count; k++) {
            Set card = bit(draw(&s->rng, s->unseen));
            while (card & r->not_hidden) {
                s->unseen &= ~card;
                aside |= card;
                card = bit(draw(&s->rng, s->unseen));
            }
            s->unseen &= ~card;
            s->hidden[player] |= card;
        }
    s->unseen |= aside;
}

INLINE void turn_up(R r, S s, int position) {
    Set card = bit(draw(&s->rng, s->unseen));
    s->unseen &= ~card;
    if (card & r->nothing)
        s->removed |= card;
    else
        s->face_up[position] |= card;
}

INLINE void draw_card(S s, int player) {
    Set card = bit(draw(&s->rng, s->deck));
    s->deck &= ~card;
    s->hands[player] |= card;
}

static void new_game(R r, S s) {
    clear_table(s);
    lay_ring(r, s);
    deal_hidden(r, s);
    for (int position = 0; position < r->num_planets; position++) {
        s->face_down[position] = FACE_DOWN_PER_PLANET;
        turn_up(r, s, position);
    }
    for (int player = 0; player < r->num_players; player++)
        for (int k = 0; k < HAND_SIZE; k++)
            draw_card(s, player);
    s->current_player = (uint8_t)randbelow(&s->rng, (uint64_t)r->num_players);
    begin_turn(s);
}

/* --- §7 end of the game ------------------------------------------------------------------ */

INLINE bool is_any_face_down(const State *s) {
    for (int position = 0; position < MAX_PLANETS; position++)
        if (s->face_down[position])
            return true;
    return false;
}

INLINE int immediate_reasons(R r, const State *s) {
    int reasons = 0;
    Set collected = 0, face_up = 0;
    for (int player = 0; player < MAX_PLAYERS; player++)
        collected |= s->collected[player];
    if (popcount(collected & r->icons) >= r->blackhole_limit)
        reasons |= REASON_BLACK_HOLE;
    for (int position = 0; position < MAX_PLANETS; position++)
        face_up |= s->face_up[position];
    if (!face_up && !is_any_face_down(s))
        reasons |= REASON_NO_RESOURCES;
    return reasons;
}

INLINE void end_turn(R r, S s) {
    s->turn_count++;
    if (s->final_turns_left) {
        s->final_turns_left--;
        if (!s->final_turns_left)
            s->end_reasons |= REASON_PLANETS_CLAIMED;
    }
    if (!s->end_reasons && s->turn_count >= r->max_turns)
        s->is_truncated = 1;
}

INLINE void end_game(S s) {
    s->actions_left = 0;
    ask(s, PROMPT_OVER);
}

INLINE void go_on(R r, S s, int player) {
    if (s->end_reasons || s->is_truncated) {
        end_game(s);
    } else if (!s->actions_left) {
        s->current_player = (uint8_t)(player + 1 < r->num_players ? player + 1 : 0);
        begin_turn(s);
    } else {
        ask(s, PROMPT_MAIN);
    }
}

static void finish_action(R r, S s, int player) {
    s->end_reasons = (uint8_t)immediate_reasons(r, s);
    if (s->end_reasons) {
        if (s->actions_left == 1 && s->final_turns_left == 1)
            s->end_reasons |= REASON_PLANETS_CLAIMED;
    } else {
        s->actions_left--;
        if (!s->actions_left)
            end_turn(r, s);
    }
    go_on(r, s, player);
}

#if MERGED
/* After an action that neither takes nor reveals a resource no immediate reason can arise. */
INLINE void finish_quiet_action(R r, S s, int player) {
    s->actions_left--;
    if (s->actions_left) {
        ask(s, PROMPT_MAIN);
        return;
    }
    end_turn(r, s);
    go_on(r, s, player);
}
#else
INLINE void finish_quiet_action(R r, S s, int player) { finish_action(r, s, player); }
#endif

/* --- §3, §4 what is legal ---------------------------------------------------------------- */

INLINE Set jump_targets(R r, const State *s, int location, Set hand) {
    Set targets = 0;
#if MERGED
    unsigned served = 0; /* codes that the hand serves */
    for (int code = MIN_CODE; code < NUM_CODES; code++)
        served |= (unsigned)((hand & r->jump_cards[code]) != 0) << code;
    for (int position = 0; position < r->num_planets; position++)
        targets |= (Set)(served >> r->planet_jump[s->ring[position]] & 1) << position;
#else
    for (int position = 0; position < r->num_planets; position++)
        if (hand & r->jump_cards[r->planet_jump[s->ring[position]]])
            targets |= bit(position);
#endif
    return targets & r->jump_targets[location];
}

INLINE Set scan_payment(R r, const State *s, int location, Set hand) {
    if (r->scan_cost == SCAN_ANY_CARD)
        return hand;
    return hand & r->scan_cards[r->planet_scan[s->ring[location]]];
}

INLINE bool can_scan(R r, const State *s, int location, Set hand) {
    if (!s->face_down[location])
        return false;
    return r->scan_cost == SCAN_FREE || scan_payment(r, s, location, hand);
}

INLINE bool can_claim(R r, const State *s, int location, Set hand) {
    if (s->face_down[location] || s->owners[location] != NO_PLAYER)
        return false;
    if (r->landing_rule == LANDING_EQUAL_PAIR) {
        for (int code = MIN_CODE; code < NUM_CODES; code++)
            if (popcount(hand & r->land_cards[code]) > 1)
                return true;
        return false;
    }
    int planet = s->ring[location];
    Set cards_a = hand & r->land_cards[r->planet_land_a[planet]];
    Set cards_b = hand & r->land_cards[r->planet_land_b[planet]];
    return cards_a && cards_b && without_lowest(cards_a | cards_b);
}

INLINE Set harvestable_marked(R r, const State *s, int player, int position, Set hand) {
    if (!hand && r->harvest_cost == HARVEST_ANY_CARD)
        return 0;
    return s->face_up[position] & s->marks[player];
}

INLINE Set harvestable_unmarked(R r, const State *s, int position, Set hand) {
    if (s->face_down[position] || (!hand && r->harvest_cost != HARVEST_FREE))
        return 0;
    return unmarked(s, position);
}

INLINE bool can_harvest(R r, const State *s, int player, int position, Set hand) {
    return harvestable_marked(r, s, player, position, hand) ||
           harvestable_unmarked(r, s, position, hand);
}

INLINE Set harvest_targets(R r, const State *s, int player, int location, Set hand) {
    Set targets = 0;
    if (r->harvest_anywhere) {
        for (int position = 0; position < r->num_planets; position++)
            if (can_harvest(r, s, player, position, hand))
                targets |= bit(position);
    } else if (location != GATE && can_harvest(r, s, player, location, hand)) {
        targets = bit(location);
    }
    return targets;
}

INLINE Set pairs_between(Set slots_a, Set slots_b) {
    Set pairs = 0;
#if MERGED
    /* With each low slot go the higher slots of the other set, or of both. */
    for (int low = 0, first = 0; low < HAND_SIZE - 1; first += HAND_SIZE - 1 - low, low++) {
        Set partners = (slots_b & -(slots_a >> low & 1)) | (slots_a & -(slots_b >> low & 1));
        pairs |= partners >> (low + 1) << first;
    }
#else
    int pair = 0;
    for (int low = 0; low < HAND_SIZE - 1; low++)
        for (int high = low + 1; high < HAND_SIZE; high++, pair++)
            if ((has(slots_a, low) && has(slots_b, high)) ||
                (has(slots_b, low) && has(slots_a, high)))
                pairs |= bit(pair);
#endif
    return pairs;
}

INLINE Set pairs_of(R r, const State *s, int player) {
    Set hand = s->hands[player];
    Set pairs = 0;
    if (r->landing_rule == LANDING_EQUAL_PAIR) {
        for (int code = MIN_CODE; code < NUM_CODES; code++) {
            Set cards = slots(hand, hand & r->land_cards[code]);
            pairs |= pairs_between(cards, cards);
        }
        return pairs;
    }
    int planet = s->ring[s->locations[player]];
    return pairs_between(slots(hand, hand & r->land_cards[r->planet_land_a[planet]]),
                         slots(hand, hand & r->land_cards[r->planet_land_b[planet]]));
}

INLINE Set payment(R r, const State *s, int player) {
    Set hand = s->hands[player];
    Set cards = hand;
    if (s->pending_action == PENDING_JUMP)
        cards = hand & r->jump_cards[r->planet_jump[s->ring[s->pending_target]]];
    else if (s->pending_action == PENDING_SCAN)
        cards = scan_payment(r, s, s->locations[player], hand);
    return slots(hand, cards);
}

INLINE Set research_subsets(const State *s, int player) {
    int size = popcount(s->hands[player]);
    Set subsets = below((int64_t)1 << size);
    return size == HAND_SIZE ? subsets & ~(Set)1 : subsets;
}

#if MERGED

/* Two words in registers; blocks are shifted to where the action table puts them. */
typedef struct {
    Set low, high;
} Legal;

#define LOW(members, first) ((Set)(members) << (first))
#define HIGH(members, first) ((Set)(members) << ((first) - 64))
_Static_assert(SPEND == 63 && SPEND_PAIR >= 64 && RESEARCH < 63 && DISCARD + NUM_SUBSETS <= 64,
               "the blocks lie otherwise in the two words");

INLINE Legal legal_main(R r, const State *s, int player) {
    int location = s->locations[player];
    Set hand = s->hands[player];
    Set low = LOW(1, PASS) | LOW(1, RESEARCH) | LOW(r->neighbours[location], FLY) |
              LOW(jump_targets(r, s, location, hand), JUMP) |
              LOW(harvest_targets(r, s, player, location, hand), HARVEST);
    if (location != GATE) {
        if (s->face_down[location])
            low |= LOW(can_scan(r, s, location, hand), SCAN);
        else
            low |= LOW(can_claim(r, s, location, hand), CLAIM);
    }
    return (Legal){low, 0};
}

INLINE Legal legal_spend(R r, const State *s, int player) {
    Set cards = payment(r, s, player);
    return (Legal){cards << SPEND, cards >> (64 - SPEND)};
}

INLINE Legal legal_harvest(R r, const State *s, int player) {
    int position = s->pending_target;
    Set hand = s->hands[player];
    Set marked = harvestable_marked(r, s, player, position, hand);
    Set kinds = kinds_in(r, harvestable_unmarked(r, s, position, hand));
    return (Legal){0, HIGH(marked != 0, TAKE_MARKED) | HIGH(kinds, TAKE)};
}

INLINE Legal legal_actions(R r, const State *s) {
    int player = s->current_player;
    int location = s->locations[player];
    switch (s->prompt) {
    case PROMPT_MAIN:
        return legal_main(r, s, player);
    case PROMPT_SPEND:
        return legal_spend(r, s, player);
    case PROMPT_SPEND_PAIR:
        return (Legal){0, HIGH(pairs_of(r, s, player), SPEND_PAIR)};
    case PROMPT_HARVEST:
        return legal_harvest(r, s, player);
    case PROMPT_RESEARCH:
        return (Legal){LOW(research_subsets(s, player), DISCARD), 0};
    case PROMPT_MARK:
        return (Legal){0, HIGH(kinds_in(r, unmarked(s, location)), MARK) |
                              HIGH(r->mark_optional, DECLINE)};
    case PROMPT_PICK:
        return (Legal){0, HIGH(kinds_in(r, s->face_up[location]), TAKE) | HIGH(1, DECLINE)};
    default:
        return (Legal){0, 0};
    }
}

#else

INLINE void mask_main(R r, S s, int player) {
    int location = s->locations[player];
    Set hand = s->hands[player];
    add_block(s->legal, PASS, 1);
    add_block(s->legal, FLY, r->neighbours[location]);
    add_block(s->legal, JUMP, jump_targets(r, s, location, hand));
    add_block(s->legal, HARVEST, harvest_targets(r, s, player, location, hand));
    add_block(s->legal, RESEARCH, 1);
    if (location != GATE) {
        add_block(s->legal, SCAN, can_scan(r, s, location, hand));
        add_block(s->legal, CLAIM, can_claim(r, s, location, hand));
    }
}

INLINE void mask_harvest_resource(R r, S s, int player) {
    int position = s->pending_target;
    Set hand = s->hands[player];
    Set marked = harvestable_marked(r, s, player, position, hand);
    add_block(s->legal, TAKE_MARKED, marked != 0);
    add_block(s->legal, TAKE, kinds_in(r, harvestable_unmarked(r, s, position, hand)));
}

static void legal_actions(R r, S s) {
    int player = s->current_player;
    int location = s->locations[player];
    int prompt = s->prompt;
    if (prompt == PROMPT_MAIN) {
        mask_main(r, s, player);
    } else if (prompt == PROMPT_SPEND) {
        add_block(s->legal, SPEND, payment(r, s, player));
    } else if (prompt == PROMPT_SPEND_PAIR) {
        add_block(s->legal, SPEND_PAIR, pairs_of(r, s, player));
    } else if (prompt == PROMPT_HARVEST) {
        mask_harvest_resource(r, s, player);
    } else if (prompt == PROMPT_RESEARCH) {
        add_block(s->legal, DISCARD, research_subsets(s, player));
    } else if (prompt == PROMPT_MARK) {
        add_block(s->legal, MARK, kinds_in(r, unmarked(s, location)));
        add_block(s->legal, DECLINE, r->mark_optional);
    } else if (prompt == PROMPT_PICK) {
        add_block(s->legal, TAKE, kinds_in(r, s->face_up[location]));
        add_block(s->legal, DECLINE, 1);
    }
}

#endif

/* --- §4 what actions do ------------------------------------------------------------------ */

INLINE void move_ship(R r, S s, int player, int position) {
    s->locations[player] = (uint8_t)position;
    finish_quiet_action(r, s, player);
}

INLINE void reveal(R r, S s, int player) {
    int location = s->locations[player];
    s->face_down[location]--;
    turn_up(r, s, location);
    if (unmarked(s, location))
        ask(s, PROMPT_MARK);
    else
        finish_action(r, s, player);
}

INLINE void harvest(R r, S s, int player) {
    int position = s->pending_target;
    Set card = s->pending_resource == MARKED
                   ? s->face_up[position] & s->marks[player]
                   : first_of_kind(r, unmarked(s, position), s->pending_resource);
    collect(s, player, position, card);
    finish_action(r, s, player);
}

INLINE void apply_spend(R r, S s, int player, int slot) {
    discard(s, player, bit(select_member(s->hands[player], slot)));
    if (s->pending_action == PENDING_JUMP)
        move_ship(r, s, player, s->pending_target);
    else if (s->pending_action == PENDING_SCAN)
        reveal(r, s, player);
    else
        harvest(r, s, player);
}

INLINE bool all_claimed(R r, const State *s) {
    for (int position = 0; position < r->num_planets; position++)
        if (s->owners[position] == NO_PLAYER)
            return false;
    return true;
}

INLINE void apply_claim(R r, S s, int player, int pair) {
    int low = 0;
    while (pair >= HAND_SIZE - 1 - low) {
        pair -= HAND_SIZE - 1 - low;
        low++;
    }
    Set hand = s->hands[player];
    discard(s, player, bit(select_member(hand, low)) | bit(select_member(hand, low + 1 + pair)));
    int location = s->locations[player];
    s->owners[location] = (uint8_t)player;
    if (all_claimed(r, s))
        s->final_turns_left = (uint8_t)(r->num_players + 1);
    for (int other = 0; other < r->num_players; other++)
        collect(s, other, location, s->face_up[location] & s->marks[other]);
    if (s->face_up[location])
        ask(s, PROMPT_PICK);
    else
        finish_action(r, s, player);
}

INLINE void apply_harvest_resource(R r, S s, int player, int action) {
    int resource = action == TAKE_MARKED ? MARKED : action - TAKE;
    bool is_free = r->harvest_cost == HARVEST_FREE ||
                   (resource == MARKED && r->harvest_cost == HARVEST_ANY_CARD_IF_UNMARKED);
    ask_payment(s, PENDING_HARVEST, s->pending_target, resource);
    if (is_free)
        harvest(r, s, player);
}

/* §6: number the groups of cards held since the same reshuffle again, the newest last. */
NOT_INLINE void reshuffle(S s) {
    s->deck = s->discard;
    s->discard = 0;
    Set held = 0, groups = 0;
    for (int player = 0; player < MAX_PLAYERS; player++)
        held |= s->hands[player];
    for (Set cards = held; cards; cards = without_lowest(cards))
        groups |= bit(s->held_since[lowest(cards)]);
    groups &= ~(Set)1;
    int newest = popcount(groups) + 1;
    for (Set cards = held; cards; cards = without_lowest(cards)) {
        uint8_t *group = &s->held_since[lowest(cards)];
        *group = (uint8_t)(*group ? popcount(groups & below(*group)) + 1 : newest);
    }
}

INLINE void apply_research(R r, S s, int player, Set subset) {
    discard(s, player, with_ranks(s->hands[player], subset));
    for (int missing = HAND_SIZE - popcount(s->hands[player]); missing > 0; missing--) {
        if (!s->deck)
            reshuffle(s);
        if (s->deck)
            draw_card(s, player);
    }
    finish_quiet_action(r, s, player);
}

INLINE void apply_mark(R r, S s, int player, int action) {
    if (action != DECLINE) {
        int location = s->locations[player];
        Set card = first_of_kind(r, unmarked(s, location), action - MARK);
        if (r->mark_scope == MARK_GLOBAL)
            s->marks[player] = card;
        else
            s->marks[player] = (s->marks[player] & ~s->face_up[location]) | card;
    }
    finish_quiet_action(r, s, player);
}

INLINE void apply_pick(R r, S s, int player, int action) {
    if (action != DECLINE) {
        int location = s->locations[player];
        collect(s, player, location, first_of_kind(r, s->face_up[location], action - TAKE));
    }
    finish_action(r, s, player);
}

INLINE void apply_main(R r, S s, int player, int action) {
    if (action == RESEARCH) {
        s->prompt = PROMPT_RESEARCH;
    } else if (action >= HARVEST) {
        s->prompt = PROMPT_HARVEST;
        s->pending_action = PENDING_HARVEST;
        s->pending_target = (uint8_t)(action - HARVEST);
        s->pending_resource = NO_KIND;
    } else if (action == CLAIM) {
        s->prompt = PROMPT_SPEND_PAIR;
    } else if (action == SCAN) {
        if (r->scan_cost == SCAN_FREE)
            reveal(r, s, player);
        else
            ask_payment(s, PENDING_SCAN, NO_TARGET, NO_KIND);
    } else if (action >= JUMP) {
        ask_payment(s, PENDING_JUMP, action - JUMP, NO_KIND);
    } else if (action >= FLY) {
        move_ship(r, s, player, action - FLY);
    } else {
        finish_quiet_action(r, s, player);
    }
}

#if MERGED
INLINE
#else
static
#endif
void apply_action(R r, S s, int action) {
    int player = s->current_player;
    switch (s->prompt) {
    case PROMPT_MAIN:
        apply_main(r, s, player, action);
        break;
    case PROMPT_SPEND:
        apply_spend(r, s, player, action - SPEND);
        break;
    case PROMPT_SPEND_PAIR:
        apply_claim(r, s, player, action - SPEND_PAIR);
        break;
    case PROMPT_HARVEST:
        apply_harvest_resource(r, s, player, action);
        break;
    case PROMPT_RESEARCH:
        apply_research(r, s, player, (Set)(action - DISCARD));
        break;
    case PROMPT_MARK:
        apply_mark(r, s, player, action);
        break;
    default:
        apply_pick(r, s, player, action);
    }
}

/* --- §8 scoring -------------------------------------------------------------------------- */

INLINE int64_t markers(R r, const State *s, int player) {
    return popcount(s->collected[player] & r->icons);
}

INLINE bool keeps_hidden(R r, const State *s, int player) {
    int64_t total = 0, most = 0;
    for (int other = 0; other < r->num_players; other++) {
        int64_t count = markers(r, s, other);
        total += count;
        most = count > most ? count : most;
    }
    return total < r->blackhole_limit || markers(r, s, player) < most;
}

INLINE int64_t resource_points(R r, Set cards) {
    int64_t gems = 0, largest = 0;
    for (int colour = RED_GEM; colour <= BLUE_GEM; colour++) {
        int64_t count = popcount(cards & r->types[colour]);
        gems += count;
        largest = count > largest ? count : largest;
    }
    int64_t light = popcount(cards & r->types[LIGHT_ENERGEL]);
    int64_t dark = popcount(cards & r->types[DARK_ENERGEL]);
    int64_t pairs = light < dark ? light : dark;
    return gems * largest + r->pair_points * pairs + r->single_points * (light + dark - 2 * pairs) +
           r->water_points[popcount(cards & r->types[WATER])] +
           r->fame_points * popcount(cards & r->types[FAME]) +
           r->sand_points[popcount(cards & r->types[SAND])];
}

INLINE int64_t claimed_planets(R r, const State *s, int player) {
    int64_t count = 0;
    for (int position = 0; position < r->num_planets; position++)
        count += s->owners[position] == player;
    return count;
}

INLINE int64_t tie_key(R r, const State *s, int player, int64_t total) {
    if (r->tie_break == TIE_SHARED)
        return total;
    return (total * (NUM_CARDS + 1) + NUM_CARDS - markers(r, s, player)) * (MAX_PLANETS + 1) +
           claimed_planets(r, s, player);
}

static void final_result(R r, const State *s, double *points, bool *is_winner) {
    int64_t keys[MAX_PLAYERS], best = -1;
    for (int player = 0; player < r->num_players; player++) {
        Set cards = s->collected[player];
        if (keeps_hidden(r, s, player))
            cards |= s->hidden[player];
        int64_t total = resource_points(r, cards) + r->planet_points * claimed_planets(r, s, player);
        points[player] = (double)total;
        keys[player] = tie_key(r, s, player, total);
        best = keys[player] > best ? keys[player] : best;
    }
    for (int player = 0; player < r->num_players; player++)
        is_winner[player] = keys[player] == best;
}

/* --- the loop over decisions ------------------------------------------------------------- */

#if MERGED
#define HAS_OWN_PLAY_GAME 1

INLINE void play_game(R r, S s, uint64_t *chooser) {
    s->ruleset = r->digest;
    new_game(r, s);
    uint64_t rng = *chooser;
    do {
        s->must_ask = 0;
        Legal legal = legal_actions(r, s);
        int in_low = popcount(legal.low);
        int count = in_low + popcount(legal.high);
        int rank = 0;
        s->legal[0] = legal.low;
        s->legal[1] = legal.high;
        if (count > 1 || s->must_ask) {
            rank = randbelow(&rng, (uint64_t)count);
            s->decision_count += count > 1;
        }
        bool is_low = rank < in_low;
        Set word = is_low ? legal.low : legal.high;
        apply_action(r, s, select_member(word, is_low ? rank : rank - in_low) + (is_low ? 0 : 64));
    } while (!is_over(s));
    s->legal[0] = s->legal[1] = 0;
    *chooser = rng;
}

#endif

#include "games.h"
