"""The table: moving cards between zones, piles, what a card is. Section numbers: RULES.md."""

from typing import Any

import numpy as np

from tabletop_core.bits import (
    NONE,
    ONE,
    WORD_BITS,
    WORD_INDEX,
    U,
    bit,
    lowest,
    popcount,
    without_lowest,
)
from tabletop_core.jit import inline_kernel, kernel, separate_kernel
from tabletop_core.rng import randbelow

from .sizes import ADVERSARY, GEAR, NO_RATING, SUPPORT, TEAM, TEAM_SIZE
from .state import (
    ASSIGNED,
    AT_MISSION,
    ATTACHED,
    BASE,
    BLOCKADED,
    CLOSED_ZONES,
    COMPLICATION,
    COST_PLUS,
    CURRENT,
    DECK,
    DISCARD,
    ERROR_COMPLICATIONS,
    ERROR_MODIFIERS,
    GLYPH,
    HAND,
    INCAP,
    LASTS_SOURCE,
    LOOKED_AT,
    MAX_COMPLICATIONS,
    MAX_MODIFIERS,
    MISSIONS,
    NO_CARD,
    OPEN_ZONES,
    ORDERING,
    PLAY,
    PLUS,
    READY,
    SEAT_STRIDE,
    SEAT_WORDS,
    STALE,
    STOPPED,
    TUCKED,
    VSCORE,
)
from .words import BECOMES, GAIN_TRAITS

WORD_SHIFT = 6  # card >> this: the word of a set that holds the card; card is an int64
MAX_POINT_VALUE = 6
RAISED = 64  # raw ratings lie above 0, so that a sum below 0 is not taken for absent


# --- sets of cards ----------------------------------------------------------------------------


@inline_kernel
def num_words(s: Any) -> Any:
    """Number of words of a set of cards: a constant of the record's type."""
    return s.hero_side.shape[0]


@inline_kernel
def include(words: Any, card: Any) -> None:
    """Add a card to a set, words [num_words]."""
    words[card >> WORD_SHIFT] |= bit(U(card) & WORD_INDEX)


@inline_kernel
def exclude(words: Any, card: Any) -> None:
    """Take a card out of a set."""
    words[card >> WORD_SHIFT] &= ~bit(U(card) & WORD_INDEX)


@inline_kernel
def contains(words: Any, card: Any) -> Any:
    """Whether a card is in a set."""
    return (words[card >> WORD_SHIFT] >> (U(card) & WORD_INDEX)) & ONE != NONE


@inline_kernel
def size_of(words: Any) -> Any:
    """Number of cards in a set, as int64."""
    count = np.int64(0)
    for k in range(words.shape[0]):
        count += popcount(words[k])
    return count


@inline_kernel
def is_empty(words: Any) -> Any:
    """Whether a set has no card."""
    for k in range(words.shape[0]):
        if words[k] != NONE:
            return False
    return True


@inline_kernel
def first_of(words: Any) -> Any:
    """The smallest card of a set, or NO_CARD."""
    for k in range(words.shape[0]):
        if words[k] != NONE:
            return np.int64(k * WORD_BITS + lowest(words[k]))
    return np.int64(NO_CARD)


@inline_kernel
def next_of(words: Any, card: Any) -> Any:
    """The smallest card of a set behind `card`, or NO_CARD."""
    start = card + 1
    k = start >> WORD_SHIFT
    if k >= words.shape[0]:
        return np.int64(NO_CARD)
    word = words[k] & ~((ONE << (U(start) & WORD_INDEX)) - ONE)
    while word == NONE:
        k += 1
        if k >= words.shape[0]:
            return np.int64(NO_CARD)
        word = words[k]
    return np.int64(k * WORD_BITS + lowest(word))


@inline_kernel
def assign_set(target: Any, source: Any) -> None:
    """Make a set equal to another."""
    for k in range(target.shape[0]):
        target[k] = source[k]


# --- what a card is -----------------------------------------------------------------------------


@inline_kernel
def owner_of(card: Any) -> Any:
    """The seat whose list a card belongs to."""
    return card // SEAT_STRIDE


@inline_kernel
def type_of(r: Any, s: Any, card: Any) -> Any:
    """Card type, as int64; not the printed one of a card that has become an adversary."""
    if contains(s.becomes, card):
        return np.int64(ADVERSARY)
    return np.int64(r.card_type[s.kind[card]])


@kernel
def traits_of(r: Any, s: Any, card: Any) -> Any:
    """The traits of a card with those it has gained, as a word; card types are none."""
    traits = U(r.traits[s.kind[card]])
    if s.has_gained_traits:
        for k in range(np.int64(s.modifier_count)):
            if s.modifier_verb[k] == GAIN_TRAITS and s.modifier_card[k] == card:
                traits |= U(r.traits[s.kind[s.modifier_source[k]]])
    if contains(s.becomes, card):
        for k in range(np.int64(s.claim_count)):
            if s.claim_verb[k] == BECOMES and contains(s.claim_cards[k], card):
                traits |= U(s.claim_check[k])
    return traits


@kernel
def types_of(r: Any, s: Any, card: Any) -> Any:
    """The card types that texts find in a card, as a word: its own, and traits it has gained."""
    types = bit(type_of(r, s, card))
    if s.has_gained_traits:
        for k in range(np.int64(s.modifier_count)):
            if s.modifier_verb[k] == GAIN_TRAITS and s.modifier_card[k] == card:
                gained = bit(r.card_type[s.kind[s.modifier_source[k]]])
                types |= gained & (bit(TEAM) | bit(SUPPORT))
    return types


@inline_kernel
def is_character(r: Any, s: Any, card: Any) -> Any:
    """Whether it is a team or support character."""
    return type_of(r, s, card) <= SUPPORT


@inline_kernel
def left_of(s: Any, seat: Any) -> Any:
    """The seat to the left of a player, whose turn is the next (§12)."""
    seat_to_left = np.int64(seat) + 1
    if seat_to_left < s.num_players:
        return seat_to_left
    return np.int64(0)


@inline_kernel
def villain_of(s: Any) -> Any:
    """The seat of the villain player: the hero's left neighbour (§6, §12)."""
    return left_of(s, s.hero)


@inline_kernel
def other_of(s: Any, seat: Any) -> Any:
    """The other of the two active players (§6)."""
    if seat == s.hero:
        return villain_of(s)
    return np.int64(s.hero)


@inline_kernel
def is_hero_card(s: Any, card: Any) -> Any:
    """Whether a card is of the hero side; not if it has become an adversary."""
    return contains(s.hero_side, card) and not contains(s.becomes, card)


@inline_kernel
def controller_of(s: Any, card: Any) -> Any:
    """Who makes the choices of a card's text: hero cards the hero, villain cards the villain."""
    if is_hero_card(s, card):
        return np.int64(s.hero)
    return villain_of(s)


@inline_kernel
def is_in_role(s: Any, card: Any) -> Any:
    """§6: whether its owner has the role this turn in which a card works; inactive: none (§12)."""
    role = np.int64(s.hero) if contains(s.hero_side, card) else villain_of(s)
    return owner_of(card) == role


@inline_kernel
def is_off_turn(s: Any, card: Any) -> Any:
    """§6: whether its owner has the other role this turn, not none (§12)."""
    other_role = villain_of(s) if contains(s.hero_side, card) else np.int64(s.hero)
    return owner_of(card) == other_role


@inline_kernel
def in_play_word(s: Any, k: Any) -> Any:
    """Word k of the cards in play that are not ignored this turn (§6); inactive: none (§12).

    The current mission is one of them until it ends, wherever its card has gone (§7, MISSION_END).
    """
    zones = s.zones
    word = zones[PLAY, k] | zones[AT_MISSION, k] | zones[ATTACHED, k]
    seat = k // SEAT_WORDS
    if seat == s.hero:
        if s.current >> WORD_SHIFT == k:
            word |= bit(U(s.current) & WORD_INDEX)
        return word & (s.hero_side[k] | s.becomes[k])
    if seat == villain_of(s):
        return word & (~s.hero_side[k] | s.becomes[k])
    return NONE


@inline_kernel
def scored_word(s: Any, k: Any) -> Any:
    """Word k of the active players' score piles, whose texts can work (EFFECTS.md, section 3.2)."""
    seat = k // SEAT_WORDS
    if seat == villain_of(s) or seat == s.hero:
        return s.zones[VSCORE, k]
    return NONE


@inline_kernel
def has_text(r: Any, s: Any, card: Any) -> Any:
    """Whether a card in play has its text: an incapacitated one has not (§3.2)."""
    return s.condition[card] != INCAP and not contains(s.textless, card)


@inline_kernel
def is_in_play(s: Any, card: Any) -> Any:
    """Whether a card is in a row, at the mission or on another card, ignored or not."""
    zone = s.zone[card]
    return zone in (PLAY, AT_MISSION, ATTACHED)


@inline_kernel
def has_condition(r: Any, s: Any, card: Any) -> Any:
    """§3.2: whether a card is ready, stopped ...: one in a row, or gear that lies on a card."""
    if s.zone[card] == ATTACHED:
        return r.card_type[s.kind[card]] == GEAR
    return s.zone[card] == PLAY


@inline_kernel
def is_assigned(s: Any, card: Any) -> Any:
    """Whether a card takes part in the mission as an assigned one."""
    return s.zone[card] == PLAY and s.condition[card] == ASSIGNED


@kernel
def becomes_with(s: Any, card: Any, flag: Any) -> Any:
    """Whether a card has become an adversary with a flag of BECOMES."""
    if contains(s.becomes, card):
        for k in range(np.int64(s.claim_count)):
            if s.claim_verb[k] == BECOMES and contains(s.claim_cards[k], card):
                return s.claim_detail[k] & flag != 0
    return False


@kernel
def glyph_count(s: Any, card: Any) -> Any:
    """Number of glyphs beneath a card."""
    count = np.int64(0)
    if not contains(s.holders, card):
        return count
    glyphs = s.zones[GLYPH]
    other = first_of(glyphs)
    while other != NO_CARD:
        if s.host[other] == card:
            count += 1
        other = next_of(glyphs, other)
    return count


@kernel
def glyph_kinds(r: Any, s: Any, card: Any) -> Any:
    """The glyph symbols beneath a card, as a word."""
    kinds = NONE
    if not contains(s.holders, card):
        return kinds
    glyphs = s.zones[GLYPH]
    other = first_of(glyphs)
    while other != NO_CARD:
        if s.host[other] == card:
            kinds |= bit(r.glyph[s.kind[other]])
        other = next_of(glyphs, other)
    return kinds


@kernel
def count_symbol(r: Any, s: Any, card: Any, kind: Any) -> Any:
    """Number of glyphs of a symbol beneath a card."""
    count = np.int64(0)
    glyphs = s.zones[GLYPH]
    other = first_of(glyphs)
    while other != NO_CARD:
        if s.host[other] == card and r.glyph[s.kind[other]] == kind:
            count += 1
        other = next_of(glyphs, other)
    return count


@kernel
def lay_glyph(s: Any, glyph: Any, card: Any) -> None:
    """Put a mission beneath a card. Only `holders` can have glyphs, so few look for them."""
    s.host[glyph] = card
    include(s.holders, card)


@kernel
def find_holders(s: Any) -> None:
    """The cards with glyphs beneath them."""
    s.holders[:] = NONE
    glyph = first_of(s.zones[GLYPH])
    while glyph != NO_CARD:
        include(s.holders, np.int64(s.host[glyph]))
        glyph = next_of(s.zones[GLYPH], glyph)


@inline_kernel
def current_rating(r: Any, s: Any, card: Any, skill: Any) -> Any:
    """The rating of a card in play, as int64; or NO_RATING.

    N3, N4: unnamed changes touch every rating there is, and only the final sum is clamped at 0.
    """
    if not contains(s.rated, card):
        return np.int64(NO_RATING)
    raw = np.int64(r.raw[s.kind[card], skill])
    if contains(s.changed, card):
        raw = np.int64(s.raw[card, skill])
    if raw == NO_RATING:
        return raw
    rating = raw - RAISED
    base = change_of(s, card, BASE)
    if base != 0:
        rating = base - RAISED
    return max(np.int64(0), rating + change_of(s, card, PLUS))


@inline_kernel
def change_of(s: Any, card: Any, number: Any) -> Any:
    """N4: how texts change a number of a card (PLUS, BASE ..), as int64."""
    change = np.int64(0)
    if contains(s.changed, card):  # few are: `changes` lies far from what each step reads
        change += np.int64(s.changes[card, number])
    return change


# --- who knows what (§3.1) ------------------------------------------------------------------------
#
# Bit p of `known` of a card: seat p knows what lies in its place, be it a card of a hand, the card
# at this depth of a pile, or the face-down card at the mission or beneath that card. In a hand
# copies are alike: the bits of n copies say that the hand holds at least n of them.


@inline_kernel
def one_seat(seat: Any) -> Any:
    """The set of one seat, as int64."""
    return np.int64(1) << np.int64(seat)


@inline_kernel
def all_seats(s: Any) -> Any:
    """The set of all seats, as int64."""
    return (np.int64(1) << np.int64(s.num_players)) - 1


@inline_kernel
def knows(s: Any, seat: Any, card: Any) -> Any:
    """Whether a player knows what a card is."""
    return np.int64(s.known[card]) >> np.int64(seat) & 1 != 0


@inline_kernel
def note_seen(s: Any, seat: Any, card: Any) -> None:
    """A player looks at a card where it lies."""
    s.known[card] |= np.uint8(one_seat(seat))


@inline_kernel
def note_revealed(s: Any, card: Any) -> None:
    """Everybody sees a card where it lies."""
    s.known[card] |= np.uint8(all_seats(s))


@inline_kernel
def note_mixed(s: Any, card: Any, seat: Any) -> None:
    """Only `seat`, who has just seen it, can tell where a card has gone."""
    s.known[card] = np.uint8(one_seat(seat))


@kernel
def forget_in_hand(s: Any, card: Any, seers: Any) -> None:
    """A card leaves a hand: what others know of the hand.

    Who sees it go knows of one copy less; who does not cannot be sure of any card any more, unless
    he knows all of them to be alike.
    """
    seat = owner_of(card)
    seats = all_seats(s)
    counted = seats & seers & ~np.int64(s.known[card])
    unsure = seats & ~seers & ~seats_sure_of_hand(s, seat)
    hand = s.zones[HAND]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = hand[k]
        while word != NONE:
            other = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if other != card and s.kind[other] == s.kind[card]:
                spent = counted & np.int64(s.known[other])
                counted &= ~spent
                s.known[other] &= np.uint8(seats & ~spent)
            s.known[other] &= np.uint8(seats & ~unsure)


@kernel
def seats_sure_of_hand(s: Any, seat: Any) -> Any:
    """The set of seats that know all cards of a hand, if these are alike."""
    sure = all_seats(s)
    first = np.int64(NO_CARD)
    hand = s.zones[HAND]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = hand[k]
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if first != NO_CARD and s.kind[card] != s.kind[first]:
                return np.int64(0)
            first = np.int64(card)
            sure &= np.int64(s.known[card])
    return sure


# --- moving ---------------------------------------------------------------------------------------


@kernel
def put(s: Any, card: Any, zone: Any) -> None:
    """Move a card to a zone; piles and lists with an order are not touched.

    Everybody sees what comes to an open zone, the owner what comes to his hand. What leaves a hand
    for a hidden zone is seen by those who know it only if they see it go (`put_seen`).
    """
    seers = np.int64(0)
    if OPEN_ZONES >> np.int64(zone) & 1:
        seers = all_seats(s)
    put_seen(s, card, zone, seers)


@separate_kernel
def put_seen(s: Any, card: Any, zone: Any, seers: Any) -> None:
    """`put`, and the seats of the set `seers` see which card it is."""
    if s.zone[card] == HAND:
        forget_in_hand(s, card, seers | one_seat(owner_of(card)))
    exclude(s.zones[s.zone[card]], card)
    include(s.zones[zone], card)
    s.zone[card] = zone
    s.known[card] |= np.uint8(seers)
    if zone == DISCARD:
        include(s.just_discarded, card)
    if zone in (HAND, TUCKED):
        s.known[card] |= np.uint8(one_seat(owner_of(card)))
    if CLOSED_ZONES >> np.int64(zone) & 1:
        exclude(s.named, card)
    s.is_stale = STALE


@kernel
def push_deck(s: Any, card: Any) -> None:
    """Put a card on top of its owner's deck."""
    seat = owner_of(card)
    put(s, card, DECK)
    s.deck[seat, s.deck_size[seat]] = card - seat * SEAT_STRIDE
    s.deck_size[seat] += 1


@kernel
def push_under_deck(s: Any, card: Any) -> None:
    """Put a card under its owner's deck."""
    seat = owner_of(card)
    size = np.int64(s.deck_size[seat])
    put(s, card, DECK)
    for k in range(size):
        s.deck[seat, size - k] = s.deck[seat, size - k - 1]
    s.deck[seat, 0] = card - seat * SEAT_STRIDE
    s.deck_size[seat] = size + 1


@kernel
def pop_deck(s: Any, seat: Any) -> Any:
    """Take the top card off a deck; it stays in the zone until it is put somewhere."""
    s.deck_size[seat] -= 1
    place = np.int64(s.deck[seat, s.deck_size[seat]])
    s.deck[seat, s.deck_size[seat]] = 0
    return place + seat * SEAT_STRIDE


@kernel
def remove_from_deck(s: Any, card: Any) -> None:
    """Take a card out of the order of its deck."""
    seat = owner_of(card)
    size = np.int64(s.deck_size[seat])
    place = card - seat * SEAT_STRIDE
    found = False
    for k in range(size):
        if found:
            s.deck[seat, k - 1] = s.deck[seat, k]
        elif s.deck[seat, k] == place:
            found = True
    s.deck[seat, size - 1] = 0
    s.deck_size[seat] = size - 1


@separate_kernel
def shuffle_deck(s: Any, seat: Any) -> None:
    """Shuffle a deck (Fisher and Yates, from the top down)."""
    size = np.int64(s.deck_size[seat])
    for k in range(size - 1):
        last = size - 1 - k
        other = randbelow(s, last + 1)
        place = s.deck[seat, last]
        s.deck[seat, last] = s.deck[seat, other]
        s.deck[seat, other] = place
    for k in range(size):
        s.known[seat * SEAT_STRIDE + np.int64(s.deck[seat, k])] = 0


@separate_kernel
def shuffle_missions(s: Any, seat: Any) -> None:
    """Shuffle a mission pile."""
    size = np.int64(s.missions_size[seat])
    for k in range(size - 1):
        last = size - 1 - k
        other = randbelow(s, last + 1)
        place = s.missions[seat, last]
        s.missions[seat, last] = s.missions[seat, other]
        s.missions[seat, other] = place
    for k in range(size):
        s.known[seat * SEAT_STRIDE + np.int64(s.missions[seat, k])] = 0


@kernel
def pop_mission(s: Any, seat: Any) -> Any:
    """Take the top card off a mission pile."""
    s.missions_size[seat] -= 1
    place = np.int64(s.missions[seat, s.missions_size[seat]])
    s.missions[seat, s.missions_size[seat]] = 0
    return place + seat * SEAT_STRIDE


@kernel
def push_mission(s: Any, card: Any, on_top: Any) -> None:
    """Put a mission face down on the top or the bottom of its owner's pile."""
    seat = owner_of(card)
    size = np.int64(s.missions_size[seat])
    put(s, card, MISSIONS)
    place = size
    if not on_top:
        for k in range(size):
            s.missions[seat, size - k] = s.missions[seat, size - k - 1]
        place = np.int64(0)
    s.missions[seat, place] = card - seat * SEAT_STRIDE
    s.missions_size[seat] = size + 1
    s.host[card] = NO_CARD


@kernel
def remove_from_missions(s: Any, card: Any) -> None:
    """Take a mission out of the order of its pile."""
    seat = owner_of(card)
    size = np.int64(s.missions_size[seat])
    place = card - seat * SEAT_STRIDE
    found = False
    for k in range(size):
        if found:
            s.missions[seat, k - 1] = s.missions[seat, k]
        elif s.missions[seat, k] == place:
            found = True
    s.missions[seat, size - 1] = 0
    s.missions_size[seat] = size - 1


@separate_kernel
def take_out(s: Any, card: Any) -> None:
    """Take a card out of play, out of an order or from beneath a card; it is put elsewhere next."""
    zone = s.zone[card]
    if is_in_play(s, card) or zone == COMPLICATION:
        leave_play(s, card, LOOKED_AT)
    elif zone == DECK:
        remove_from_deck(s, card)
    elif zone == MISSIONS:
        remove_from_missions(s, card)
    s.host[card] = NO_CARD


@kernel
def draw_cards(s: Any, seat: Any, count: Any) -> Any:
    """Draw up to `count` cards; how many there were (§10: an empty deck just stops)."""
    drawn = min(np.int64(count), np.int64(s.deck_size[seat]))
    for _ in range(drawn):
        put(s, pop_deck(s, seat), HAND)
    return drawn


@kernel
def hand_size(s: Any, seat: Any) -> Any:
    """Number of cards in a hand."""
    count = np.int64(0)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        count += popcount(s.zones[HAND, k])
    return count


@separate_kernel
def drop_complication(s: Any, card: Any) -> None:
    """Take a complication out of the order of play."""
    found = False
    for k in range(np.int64(s.complication_count)):
        if found:
            s.complications[k - 1] = s.complications[k]
        elif s.complications[k] == card:
            found = True
    if found:
        s.complication_count -= 1
        s.complications[s.complication_count] = NO_CARD


@kernel
def end_traces(s: Any, card: Any) -> None:
    """A card leaves play or is turned face down: modifiers on it, blocks by it, marks on it end."""
    kept = 0
    for k in range(np.int64(s.modifier_count)):
        is_own = s.modifier_card[k] == card
        if not is_own and not (
            s.modifier_lasts[k] == LASTS_SOURCE and s.modifier_source[k] == card
        ):
            copy_modifier(s, k, kept)
            kept += 1
    keep_modifiers(s, kept)
    end_marks_on(s, card)
    s.is_stale = STALE


@kernel
def end_marks_on(s: Any, card: Any) -> None:
    """Marks on a card end; of such marks each maker remembers the latest."""
    just_gone = 2
    for k in range(np.int64(s.mark_count)):
        if s.mark_card[k] == card and s.mark_is_gone[k] == 0:
            s.mark_is_gone[k] = just_gone
    kept = 0
    for k in range(np.int64(s.mark_count)):
        is_older = s.mark_is_gone[k] == 1 and has_mark(s, s.mark_maker[k], just_gone)
        if not is_older:
            copy_mark(s, k, kept)
            kept += 1
    keep_marks(s, kept)
    for k in range(kept):
        s.mark_is_gone[k] = min(1, s.mark_is_gone[k])


@kernel
def has_mark(s: Any, maker: Any, is_gone: Any) -> Any:
    """Whether a card has made a mark of this sort."""
    for k in range(np.int64(s.mark_count)):
        if s.mark_maker[k] == maker and s.mark_is_gone[k] == is_gone:
            return True
    return False


@kernel
def copy_mark(s: Any, source: Any, target: Any) -> None:
    """Move a mark to another place of the list."""
    s.mark_maker[target] = s.mark_maker[source]
    s.mark_card[target] = s.mark_card[source]
    s.mark_is_gone[target] = s.mark_is_gone[source]


@kernel
def end_marks(r: Any, s: Any, with_mission: Any) -> None:
    """Marks for one mission end with it; those of makers that are gone at the end of the turn."""
    kept = 0
    for k in range(np.int64(s.mark_count)):
        maker = np.int64(s.mark_maker[k])
        if with_mission:
            stays = r.marks_for_mission[s.kind[maker]] == 0
        else:
            stays = is_in_play(s, maker)
        if stays:
            copy_mark(s, k, kept)
            kept += 1
    keep_marks(s, kept)


@kernel
def add_modifier(
    s: Any, verb: Any, sign: Any, lasts: Any, amount: Any, card: Any, source: Any
) -> None:
    """A change that lasts for a while."""
    if s.modifier_count >= MAX_MODIFIERS:
        s.error = ERROR_MODIFIERS
        return
    place = np.int64(s.modifier_count)
    s.modifier_verb[place] = verb
    s.modifier_sign[place] = sign
    s.modifier_lasts[place] = lasts
    s.modifier_amount[place] = amount
    s.modifier_card[place] = card
    s.modifier_source[place] = source
    s.modifier_count += 1
    s.is_stale = STALE


@kernel
def copy_modifier(s: Any, source: Any, target: Any) -> None:
    """Move a modifier to another place of the list."""
    s.modifier_verb[target] = s.modifier_verb[source]
    s.modifier_sign[target] = s.modifier_sign[source]
    s.modifier_lasts[target] = s.modifier_lasts[source]
    s.modifier_amount[target] = s.modifier_amount[source]
    s.modifier_card[target] = s.modifier_card[source]
    s.modifier_source[target] = s.modifier_source[source]


@kernel
def expire(s: Any, lasts: Any) -> None:
    """End the modifiers of a duration."""
    kept = 0
    for k in range(np.int64(s.modifier_count)):
        if s.modifier_lasts[k] != lasts:
            copy_modifier(s, k, kept)
            kept += 1
    keep_modifiers(s, kept)


@kernel
def attach(s: Any, card: Any, host: Any) -> None:
    """ATTACH: a card in play is placed on another one and leaves the mission."""
    if s.zone[card] == PLAY or s.zone[card] == AT_MISSION:
        put(s, card, ATTACHED)
        s.host[card] = host


@kernel
def detach(s: Any, card: Any) -> None:
    """DETACH: back to its row, in the state in which it was."""
    if s.zone[card] == ATTACHED:
        put(s, card, PLAY)
        s.host[card] = NO_CARD


@separate_kernel
def release_attached(r: Any, s: Any) -> None:
    """Cards whose host has left play: gear goes back to its row, stopped (SL-142), others die."""
    card = first_of(s.zones[ATTACHED])
    while card != NO_CARD:
        if s.zone[s.host[card]] != PLAY:
            if r.card_type[s.kind[card]] == GEAR:
                detach(s, card)
                s.condition[card] = STOPPED
            else:
                leave_play(s, card, DISCARD)
        card = next_of(s.zones[ATTACHED], card)


@separate_kernel
def leave_play(s: Any, card: Any, zone: Any) -> None:
    """A card leaves play for `zone`: glyphs beneath it wait to be put under the pile (§3.2)."""
    if s.zone[card] == COMPLICATION:
        drop_complication(s, card)
    glyphs = s.zones[GLYPH]
    other = first_of(glyphs)
    while other != NO_CARD:
        if s.host[other] == card:
            s.host[other] = NO_CARD
            put(s, other, ORDERING)
        other = next_of(glyphs, other)
    end_traces(s, card)
    release_blockaded(s, card)
    if zone != VSCORE:  # its texts for that still count them (`drop_tucked`)
        discard_tucked(s, card)
    s.condition[card] = READY
    s.tokens[card] = 0
    s.used[card] = 0
    s.host[card] = NO_CARD
    put(s, card, zone)


@kernel
def discard_tucked(s: Any, card: Any) -> None:
    """The cards beneath a card go to their owners' discard piles."""
    beneath = s.zones[TUCKED]
    other = first_of(beneath)
    while other != NO_CARD:
        if s.host[other] == card:
            s.host[other] = NO_CARD
            put(s, other, DISCARD)
        other = next_of(beneath, other)


@separate_kernel
def drop_tucked(s: Any) -> Any:
    """When the texts for scoring have been used, cards beneath scored ones go (§3.2); whether any.

    They count for those texts (EFFECTS.md, ON_SCORE).
    """
    beneath = s.zones[TUCKED]
    card = first_of(beneath)
    while card != NO_CARD:
        if s.zone[s.host[card]] == VSCORE:
            discard_tucked(s, np.int64(s.host[card]))
            return True
        card = next_of(beneath, card)
    return False


@kernel
def release_blockaded(s: Any, card: Any) -> None:
    """A mission beneath a card goes to the bottom of its owner's pile (§11)."""
    blockaded = s.zones[BLOCKADED]
    other = first_of(blockaded)
    while other != NO_CARD:
        if s.host[other] == card:
            push_mission(s, other, False)
        other = next_of(blockaded, other)


@kernel
def turn_face_down(s: Any, card: Any) -> None:
    """An obstacle or adversary becomes a complication (§8.2)."""
    leave_play(s, card, COMPLICATION)
    list_complication(s, card)


@kernel
def list_complication(s: Any, card: Any) -> None:
    """A complication is the last in the order of play."""
    if s.complication_count >= MAX_COMPLICATIONS:
        s.error = ERROR_COMPLICATIONS
        return
    s.complications[s.complication_count] = card
    s.complication_count += 1


# --- tallies --------------------------------------------------------------------------------------


@kernel
def counted_glyphs(s: Any, k: Any) -> Any:
    """Word k of the glyphs beneath characters; what has become an adversary is none (BS-228)."""
    word = s.zones[GLYPH, k]
    if is_empty(s.becomes):
        return word
    left = word
    while left != NONE:
        glyph = k * WORD_BITS + lowest(left)
        if contains(s.becomes, np.int64(s.host[glyph])):
            word &= ~bit(U(glyph) & WORD_INDEX)
        left = without_lowest(left)
    return word


@kernel
def count_glyphs(s: Any, seat: Any) -> Any:
    """Glyphs beneath a player's characters."""
    count = np.int64(0)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        count += popcount(counted_glyphs(s, k))
    return count


@kernel
def count_experience(r: Any, s: Any, seat: Any) -> Any:
    """Experience of the glyphs beneath a player's characters, and what texts add."""
    total = np.int64(0)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = counted_glyphs(s, k)
        while word != NONE:
            total += np.int64(r.experience[s.kind[k * WORD_BITS + lowest(word)]])
            word = without_lowest(word)
    return max(np.int64(0), total + np.int64(s.experience_plus[seat]))


@separate_kernel
def count_villain_score(r: Any, s: Any, seat: Any) -> Any:
    """Total cost of the cards in a player's score pile (W3)."""
    from_zone = s.zones[VSCORE]
    total = np.int64(0)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = from_zone[k]
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            cost = np.int64(r.cost[s.kind[card]])
            if r.has_score_costs:  # else these are of another place of the card
                cost += change_of(s, card, COST_PLUS)
            total += max(np.int64(0), cost)
            word = without_lowest(word)
    return total


@kernel
def point_total(r: Any, s: Any, seat: Any) -> Any:
    """Sum of the point values of a player's team, promotion tokens included (§10)."""
    total = np.int64(0)
    for place in range(TEAM_SIZE):
        card = seat * SEAT_STRIDE + place
        value = np.int64(r.point_value[s.kind[card]])
        changed = value + np.int64(s.tokens[card]) + np.int64(s.point_plus[seat, place])
        most = max(value, np.int64(MAX_POINT_VALUE))
        total += max(np.int64(0), min(most, changed))
    return total


# --- the ends of lists ------------------------------------------------------------------------
#
# What falls out of a list leaves nothing behind, so that equal positions are equal bytes.


@inline_kernel
def clear_modifier(s: Any, place: Any) -> None:
    """Nothing is left of a change that has ended."""
    s.modifier_verb[place] = 0
    s.modifier_sign[place] = 0
    s.modifier_lasts[place] = 0
    s.modifier_amount[place] = 0
    s.modifier_card[place] = 0
    s.modifier_source[place] = 0


@kernel
def keep_modifiers(s: Any, kept: Any) -> None:
    """Only the first `kept` modifiers have not ended; the numbers may be others now."""
    for place in range(kept, np.int64(s.modifier_count)):
        clear_modifier(s, place)
        s.is_stale = STALE
    s.modifier_count = kept


@inline_kernel
def clear_mark(s: Any, place: Any) -> None:
    """Nothing is left of a mark that has ended."""
    s.mark_maker[place] = 0
    s.mark_card[place] = 0
    s.mark_is_gone[place] = 0


@kernel
def keep_marks(s: Any, kept: Any) -> None:
    """Only the first `kept` marks have not ended; the numbers may be others now."""
    for place in range(kept, np.int64(s.mark_count)):
        clear_mark(s, place)
        s.is_stale = STALE
    s.mark_count = kept


@inline_kernel
def clear_standing(s: Any, place: Any) -> None:
    """Nothing is left of a rule for a while."""
    s.standing_lasts[place] = 0
    s.standing_self[place] = 0
    s.standing_user[place] = 0
    s.standing_address[place] = 0


@kernel
def clear_delay(s: Any, place: Any) -> None:
    """Nothing is left of a delayed effect."""
    s.delay_moment[place] = 0
    s.delay_lasts[place] = 0
    s.delay_repeats[place] = 0
    s.delay_player[place] = 0
    s.delay_match[place] = 0
    s.delay_user[place] = 0
    s.delay_self[place] = 0
    s.delay_n[place] = 0
    s.delay_address[place] = 0
    s.delay_that[place, :] = NONE


@inline_kernel
def clear_pending(s: Any, place: Any) -> None:
    """Nothing is left of a text that waited."""
    s.pending_clause[place] = 0
    s.pending_self[place] = 0
    s.pending_trigger[place] = 0
    s.pending_granter[place] = 0
    s.pending_actor[place] = 0
    s.pending_is_text[place] = 0


# --- asking -----------------------------------------------------------------------------------


@inline_kernel
def ask_player(s: Any, prompt: Any, seat: Any) -> None:
    """Put a decision to a player."""
    s.prompt = prompt
    s.current_player = seat


@inline_kernel
def is_at_mission(s: Any, card: Any) -> Any:
    """§9.3: whether a card is the mission, an obstacle at it or assigned to it."""
    return s.zone[card] == CURRENT or s.zone[card] == AT_MISSION or is_assigned(s, card)
