/* A made-up board game that keeps its legal actions as one byte each: how fast plain C plays a
 * game of ordinary size written the ordinary way. It calibrates the machine: rates are given as
 * multiples of its rate, which carries from one machine to the next better than steps per second.
 *
 * 5 players, 60 cards (6 suits, values 1 to 5), hands of up to 10, 9 places for up to 6 cards,
 * coins, one walker each, collected cards by suit. 120 actions:
 *   0-89 play hand card i at place l (9 * i + l), 90-98 harvest the place under the walker,
 *   99-104 score three or more collected cards of a suit, 105-113 walk to place l (costs coins),
 *   114 draw two cards, 115-118 buy a random card from the next, second next ... player, 119 pass.
 * Most cards of each suit score at the end. A step is legal mask, uniform choice, action; a game
 * is followed by a new one with all 60 cards shuffled.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

enum { CARDS = 60, SUITS = 6, PLAYERS = 5, PLACES = 9, MAX_HAND = 10, MAX_AT_PLACE = 6 };
enum { PLAY = 0, HARVEST = 90, SCORE = 99, WALK = 105, DRAW = 114, BUY = 115, PASS = 119 };
enum { ACTIONS = 120, MAX_TURNS = 120, MAX_POINTS = 120, MAX_COINS = 100, PRICE = 2 };

typedef struct {
    int8_t deck[CARDS];
    int8_t hands[PLAYERS][MAX_HAND];
    int8_t hand_sizes[PLAYERS];
    int8_t collected[PLAYERS][SUITS];
    int8_t places[PLACES][MAX_AT_PLACE];
    int8_t place_sizes[PLACES];
    int8_t coins[PLAYERS];
    int8_t walkers[PLAYERS];
    int8_t points[PLAYERS];
    int8_t current_player, turn, is_over, num_drawn;
} Table;

static int8_t suit_of[CARDS], value_of[CARDS];
static int8_t accepts[PLACES][SUITS], fare[PLACES][PLACES], set_points[64];

static void make_tables(void) {
    for (int card = 0; card < CARDS; card++) {
        suit_of[card] = (int8_t)(card % SUITS);
        value_of[card] = (int8_t)(1 + card / 12);
    }
    for (int place = 0; place < PLACES; place++)
        for (int suit = 0; suit < SUITS; suit++)
            accepts[place][suit] = (place + suit) % 3 != 0;
    for (int a = 0; a < PLACES; a++)
        for (int b = 0; b < PLACES; b++) {
            int there = (a - b + PLACES) % PLACES, back = (b - a + PLACES) % PLACES;
            int distance = there < back ? there : back;
            fare[a][b] = (int8_t)(distance <= 1 ? 0 : distance <= 3 ? 1 : 2);
        }
    for (int count = 0; count < 64; count++) {
        int points = count * (count + 1) / 2;
        set_points[count] = (int8_t)(points > MAX_POINTS ? MAX_POINTS : points);
    }
}

/* PCG32 (O'Neill): 64-bit congruence, permuted to 32 bits. */
INLINE uint32_t next_word(uint64_t *restrict rng) {
    uint64_t old = *rng;
    *rng = old * 6364136223846793005ULL + 1442695040888963407ULL;
    uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27), turn = (uint32_t)(old >> 59);
    return (mixed >> turn) | (mixed << ((32 - turn) & 31));
}

INLINE int randbelow(uint64_t *restrict rng, int count) {
    return (int)(((uint64_t)next_word(rng) * (uint64_t)count) >> 32);
}

INLINE int8_t capped(int points) { return (int8_t)(points > MAX_POINTS ? MAX_POINTS : points); }

static void new_game(Table *restrict t, uint64_t *restrict rng) {
    for (int i = 0; i < CARDS; i++)
        t->deck[i] = (int8_t)i;
    for (int i = CARDS - 1; i > 0; i--) {
        int j = randbelow(rng, i + 1);
        int8_t card = t->deck[i];
        t->deck[i] = t->deck[j];
        t->deck[j] = card;
    }
    int next = 0;
    for (int player = 0; player < PLAYERS; player++) {
        for (int i = 0; i < 5; i++)
            t->hands[player][i] = t->deck[next++];
        t->hand_sizes[player] = 5;
        memset(t->collected[player], 0, SUITS);
        t->coins[player] = 3;
        t->walkers[player] = (int8_t)player;
        t->points[player] = 0;
    }
    for (int place = 0; place < PLACES; place++) {
        t->places[place][0] = t->deck[next++];
        t->place_sizes[place] = 1;
    }
    t->num_drawn = (int8_t)next;
    t->current_player = t->turn = t->is_over = 0;
}

static int legal_actions(const Table *restrict t, uint8_t *restrict mask) {
    int player = t->current_player, hand_size = t->hand_sizes[player], count = 0;
    for (int i = 0; i < MAX_HAND; i++) {
        if (i < hand_size) {
            int suit = suit_of[t->hands[player][i]];
            for (int place = 0; place < PLACES; place++) {
                bool is_legal = t->place_sizes[place] < MAX_AT_PLACE && accepts[place][suit];
                mask[PLAY + i * PLACES + place] = is_legal;
                count += is_legal;
            }
        } else {
            for (int place = 0; place < PLACES; place++)
                mask[PLAY + i * PLACES + place] = 0;
        }
    }
    int walker = t->walkers[player], coins = t->coins[player];
    for (int place = 0; place < PLACES; place++) {
        bool is_legal = walker == place && t->place_sizes[place] >= 2;
        mask[HARVEST + place] = is_legal;
        count += is_legal;
    }
    for (int suit = 0; suit < SUITS; suit++) {
        bool is_legal = t->collected[player][suit] >= 3;
        mask[SCORE + suit] = is_legal;
        count += is_legal;
    }
    for (int place = 0; place < PLACES; place++) {
        bool is_legal = walker != place && coins >= fare[walker][place];
        mask[WALK + place] = is_legal;
        count += is_legal;
    }
    bool can_draw = t->num_drawn < CARDS && hand_size <= MAX_HAND - 2;
    mask[DRAW] = can_draw;
    count += can_draw;
    for (int k = 1; k < PLAYERS; k++) {
        int other = player + k < PLAYERS ? player + k : player + k - PLAYERS;
        bool is_legal = coins >= PRICE && t->hand_sizes[other] > 0 && hand_size < MAX_HAND;
        mask[BUY + k - 1] = is_legal;
        count += is_legal;
    }
    bool must_pass = count == 0;
    mask[PASS] = must_pass;
    return count + must_pass;
}

static int choose(const uint8_t *restrict mask, uint64_t *restrict rng, int count) {
    int rank = randbelow(rng, count);
    for (int action = 0; action < ACTIONS; action++)
        if (mask[action] && rank-- == 0)
            return action;
    return -1;
}

static void finish_game(Table *restrict t) {
    for (int suit = 0; suit < SUITS; suit++) {
        int best = 0;
        for (int player = 0; player < PLAYERS; player++)
            if (t->collected[player][suit] > best)
                best = t->collected[player][suit];
        for (int player = 0; player < PLAYERS && best > 0; player++)
            if (t->collected[player][suit] == best)
                t->points[player] = capped(t->points[player] + 5);
    }
    t->is_over = 1;
}

static void play_card(Table *restrict t, int player, int i, int place) {
    int card = t->hands[player][i], last = t->hand_sizes[player] - 1, size = t->place_sizes[place];
    t->hands[player][i] = t->hands[player][last];
    t->hand_sizes[player] = (int8_t)last;
    if (size > 0 && suit_of[t->places[place][size - 1]] == suit_of[card] &&
        t->coins[player] < MAX_COINS)
        t->coins[player]++;
    t->places[place][size] = (int8_t)card;
    t->place_sizes[place] = (int8_t)(size + 1);
}

static void harvest(Table *restrict t, int player, int place) {
    int size = t->place_sizes[place], points = t->points[player];
    for (int i = 0; i < size; i++) {
        int card = t->places[place][i];
        t->collected[player][suit_of[card]]++;
        points += value_of[card];
    }
    t->points[player] = capped(points);
    t->place_sizes[place] = 0;
}

static void draw_two(Table *restrict t, int player) {
    for (int k = 0; k < 2 && t->num_drawn < CARDS; k++)
        t->hands[player][t->hand_sizes[player]++] = t->deck[t->num_drawn++];
}

static void buy(Table *restrict t, uint64_t *restrict rng, int player, int other) {
    int last = t->hand_sizes[other] - 1, i = randbelow(rng, last + 1);
    int8_t card = t->hands[other][i];
    t->hands[other][i] = t->hands[other][last];
    t->hand_sizes[other] = (int8_t)last;
    t->hands[player][t->hand_sizes[player]++] = card;
    t->coins[player] = (int8_t)(t->coins[player] - PRICE);
    t->coins[other]++;
}

static void apply_action(Table *restrict t, uint64_t *restrict rng, int action) {
    int player = t->current_player;
    if (action < HARVEST) {
        play_card(t, player, action / PLACES, action % PLACES);
    } else if (action < SCORE) {
        harvest(t, player, action - HARVEST);
    } else if (action < WALK) {
        int8_t *count = &t->collected[player][action - SCORE];
        t->points[player] = capped(t->points[player] + set_points[*count]);
        *count = 0;
        t->coins[player]++;
    } else if (action < DRAW) {
        int place = action - WALK;
        t->coins[player] = (int8_t)(t->coins[player] - fare[t->walkers[player]][place]);
        t->walkers[player] = (int8_t)place;
    } else if (action == DRAW) {
        draw_two(t, player);
    } else if (action < PASS) {
        int other = player + action - DRAW;
        buy(t, rng, player, other < PLAYERS ? other : other - PLAYERS);
    }
    t->turn++;
    bool is_over = t->turn >= MAX_TURNS;
    if (t->num_drawn >= CARDS)
        for (int other = 0; other < PLAYERS; other++)
            is_over |= t->hand_sizes[other] == 0;
    if (is_over)
        finish_game(t);
    else
        t->current_player = (int8_t)(player + 1 < PLAYERS ? player + 1 : 0);
}

/* `num_steps` random steps from a fresh start. Returns the number of finished games; *checksum is
 * the sum of their points times (player + 1). */
int64_t play_steps(uint64_t seed, int64_t num_steps, int64_t *checksum) {
    Table table = {0};
    uint8_t mask[128];
    uint64_t rng = seed;
    int64_t games = 0;
    make_tables();
    *checksum = 0;
    new_game(&table, &rng);
    for (int64_t step = 0; step < num_steps; step++) {
        int count = legal_actions(&table, mask);
        apply_action(&table, &rng, choose(mask, &rng, count));
        if (table.is_over) {
            games++;
            for (int player = 0; player < PLAYERS; player++)
                *checksum += table.points[player] * (player + 1);
            new_game(&table, &rng);
        }
    }
    return games;
}
