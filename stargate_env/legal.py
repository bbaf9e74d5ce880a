"""The legal answers to each prompt (RULES.md §8, §13)."""

from typing import Any, Final

import numpy as np

from tabletop_core.bits import NONE, WORD_BITS, lowest, without_lowest
from tabletop_core.jit import inline_kernel, kernel, separate_kernel

from . import opcodes as op
from .derived import allows_boost, cost_to_complicate, is_forbidden, refresh
from .evaluate import (
    WITHDRAW_BIT,
    clause_at,
    clause_total,
    clause_works,
    evaluate,
    granter_at,
    keyword_of,
    pop,
    set_context,
)
from .fates import can_pay_revive
from .naming import shown_as, slot_of
from .playing import assigned_by, can_assign, can_play, is_same_sort
from .resolving import is_assigned_ship
from .sizes import ADVERSARY, SHIP, SUPPORT, TEAM_SIZE
from .state import (
    ASK_ABILITY,
    ASK_BOOST,
    ASK_CONTINUE,
    ASK_DISCARD,
    ASK_DOMINION,
    ASK_FATE,
    ASK_GLYPH,
    ASK_MAIN,
    ASK_MAY,
    ASK_MISSION_ORDER,
    ASK_MULLIGAN,
    ASK_NUMBER,
    ASK_OPTION,
    ASK_ORDER,
    ASK_RECIPIENT,
    ASK_SCRY,
    ASK_SHIP,
    ASK_TARGET,
    ASK_TEAM_STOP,
    ASK_TEXT,
    ASSIGN,
    AT_MISSION,
    ATTACHED,
    BOOST,
    CLAUSES_PER_CARD,
    COMPLICATE,
    COMPLICATION,
    DECK,
    DISCARD,
    DONE,
    EVENT_ACTS,
    HAND,
    LET_DIE,
    MAX_NUMBER,
    MAX_OPTIONS,
    MISSIONS,
    NO,
    NO_CARD,
    NUMBER,
    OPTION,
    ORDERING,
    OTHER,
    OWN,
    PASS,
    PLAY,
    PLAY_CARD,
    REVIVE,
    SCORE,
    SEAT_STRIDE,
    SEAT_WORDS,
    SETUP_STOP,
    SLOT,
    USE,
    USER_ANY,
    USER_HOST_OWNER,
    YES,
)
from .table import (
    becomes_with,
    contains,
    controller_of,
    first_of,
    has_text,
    in_play_word,
    include,
    is_assigned,
    is_empty,
    is_in_role,
    next_of,
    num_words,
    other_of,
    owner_of,
    type_of,
)
from .words import HEAD_ACT, HEAD_ACT_TURN, HEAD_KW, NO_FRAME, NO_SCORE

MAX_ACTIONS_HERE: Final = 200  # §8.5

# --- legal actions --------------------------------------------------------------------------------


@separate_kernel
def legal_actions(r: Any, s: Any) -> None:
    """The legal answers to the pending prompt."""
    s.legal[:] = NONE
    prompt = s.prompt
    seat = np.int64(s.current_player)
    refresh(r, s)
    if prompt == ASK_MAIN:
        s.must_ask = 1  # D08: being skipped would tell about the hand
        mask_main(r, s, seat)
    elif prompt == ASK_TEAM_STOP:
        first = OTHER if s.phase == SETUP_STOP else OWN
        for place in range(TEAM_SIZE):
            allow(s, first + place)
    elif prompt in (ASK_MULLIGAN, ASK_MAY, ASK_CONTINUE):
        allow(s, YES)
        allow(s, NO)
    elif prompt in (ASK_ORDER, ASK_TEXT):
        mask_pending(r, s, seat, prompt == ASK_TEXT)
    elif prompt in (ASK_TARGET, ASK_GLYPH, ASK_SCRY):
        mask_frame(r, s, seat, prompt)
    elif prompt == ASK_OPTION:
        for k in range(MAX_OPTIONS):
            if np.int64(s.frame_least[np.int64(s.frame_count) - 1]) >> k & 1:
                allow(s, OPTION + k)
    elif prompt == ASK_NUMBER:
        most = np.int64(s.frame_limit[np.int64(s.frame_count) - 1])
        for k in range(min(most + 1, np.int64(MAX_NUMBER))):
            allow(s, NUMBER + k)
    elif prompt == ASK_BOOST:
        mask_boosts(r, s, seat)
    elif prompt == ASK_ABILITY:
        mask_options(r, s, seat)
    elif prompt == ASK_FATE:
        mask_fate(r, s)
    elif prompt == ASK_DOMINION:
        mask_dominion(r, s, seat)
    elif prompt == ASK_RECIPIENT:
        mask_recipient(r, s)
    elif prompt == ASK_SHIP:
        mask_ships(r, s, seat)
    elif prompt == ASK_MISSION_ORDER:
        mask_zone(r, s, seat, ORDERING)
    elif prompt == ASK_DISCARD:
        mask_zone(r, s, seat, HAND)
    clear_scratch(s)


@kernel
def clear_scratch(s: Any) -> None:
    """The scratch fields are zero between decisions, so that equal games are equal bytes."""
    for k in range(op.NUM_SETS):
        if k == 0 or s.used_sets >> k & 1:  # rules use the first one, too
            s.sets[k, :] = NONE
    s.used_sets = 0
    s.static_cards[:] = NONE
    s.reserved[:] = NONE
    s.locals[:] = 0
    s.stack[:] = 0
    s.top = 0
    s.spent = 0
    s.context_self = NO_CARD
    s.context_each = NO_CARD
    s.context_trigger = NO_CARD
    s.context_granter = NO_CARD
    s.context_user = 0
    s.context_frame = NO_FRAME


@inline_kernel
def allow(s: Any, action: Any) -> None:
    """Add an action to the legal set."""
    include(s.legal, action)


@kernel
def name_card(r: Any, s: Any, seat: Any, card: Any) -> Any:
    """The action by which a player names a card: by its place in the list of its owner."""
    place = shown_as(r, s, seat, card) % SEAT_STRIDE
    if owner_of(card) == seat:
        return OWN + place
    return OTHER + place


@kernel
def is_first_copy(s: Any, words: Any, card: Any) -> Any:
    """Whether no lower card of a set is the same: copies in hands and piles are alike."""
    other = next_of(words, owner_of(card) * SEAT_STRIDE - 1)
    while other != NO_CARD and other < card:
        if s.kind[other] == s.kind[card] and s.zone[other] == s.zone[card]:
            return False
        other = next_of(words, other)
    return True


@separate_kernel
def mask_main(r: Any, s: Any, seat: Any) -> None:
    """§8.1, §8.2: everything a player may do, or pass."""
    allow(s, PASS)
    if s.actions_here >= MAX_ACTIONS_HERE or is_forbidden(r, s, EVENT_ACTS, seat, NO_CARD):
        return
    mask_hand(r, s, seat)
    mask_boosting(r, s, seat)
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if can_assign(r, s, assigned_by(s, card), seat):
                allow(s, ASSIGN + card - seat * SEAT_STRIDE)
            if usable(r, s, card, seat) != 0:
                allow(s, USE + card - seat * SEAT_STRIDE)


@kernel
def mask_hand(r: Any, s: Any, seat: Any) -> None:
    """What can be played from a hand, and as a complication; of copies the first."""
    is_hero = seat == s.hero
    hand = s.zones[HAND]
    can_complicate = not is_hero and cost_to_complicate(s) <= s.power[seat]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = hand[k]
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_first_copy(s, hand, card):
                place = card - seat * SEAT_STRIDE
                if contains(s.hero_side, card) == is_hero and can_play(r, s, card, seat):
                    allow(s, PLAY_CARD + place)
                if can_complicate:
                    allow(s, COMPLICATE + place)


@separate_kernel
def mask_boosting(r: Any, s: Any, seat: Any) -> None:
    """The cards of a hand that boost an assigned card; of copies the first."""
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            target = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_assigned(s, target) and controller_of(s, target) == seat:
                mask_boosts_of(r, s, seat, target)


@kernel
def mask_boosts_of(r: Any, s: Any, seat: Any, target: Any) -> None:
    """The cards of a hand that boost one assigned card. Most have neither its title nor a text."""
    hand = s.zones[HAND]
    title = r.title[s.kind[target]]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = hand[k]
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            may_fit = s.boost_count > 0 or r.title[s.kind[card]] == title
            fits = may_fit and can_boost(r, s, card, seat) and is_boost(r, s, card, target)
            if fits and is_first_copy(s, hand, card):
                allow(s, BOOST + card - seat * SEAT_STRIDE)


@kernel
def can_boost(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8: whether a card of a hand is of a type that its player boosts with."""
    card_type = type_of(r, s, card)
    is_fitting = card_type <= SUPPORT if seat == s.hero else card_type == ADVERSARY
    return is_fitting or card_type == SHIP


@separate_kernel
def find_boosts(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8: the assigned cards that a hand card can boost, into `static_cards`; how many."""
    found = s.static_cards
    found[:] = NONE
    if not can_boost(r, s, card, seat):
        return np.int64(0)
    count = np.int64(0)
    for k in range(num_words(s)):
        word = in_play_word(s, k)
        while word != NONE:
            other = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            is_own = controller_of(s, other) == seat
            if is_assigned(s, other) and is_own and is_boost(r, s, card, other):
                include(found, other)
                count += 1
    return count


@kernel
def is_boost(r: Any, s: Any, card: Any, other: Any) -> Any:
    """Whether a card boosts another: by its title, or because a text allows it."""
    if not is_same_sort(r, s, card, other):
        return False
    if r.title[s.kind[card]] == r.title[s.kind[other]]:
        return True
    return s.boost_count > 0 and allows_boost(r, s, card, other)


@separate_kernel
def usable(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """§8.3: the abilities that a player can use by naming a card, bit k for the k-th ability.

    Behind the abilities of the card come those of what others have attached to it: who does not
    control these uses them by naming their host.
    """
    found = np.int64(0)
    if controller_of(s, card) == seat:
        found = usable_abilities(r, s, card, seat)
    if not is_empty(s.zones[ATTACHED]):
        shift = count_abilities(r, s, card)
        other = first_of(s.zones[ATTACHED])
        while other != NO_CARD:
            if s.host[other] == card and is_of_others(s, other, seat):
                found |= usable_abilities(r, s, other, seat) << shift
                shift += count_abilities(r, s, other)
            other = next_of(s.zones[ATTACHED], other)
    return found & ((1 << MAX_OPTIONS) - 1)


@inline_kernel
def is_of_others(s: Any, card: Any, seat: Any) -> Any:
    """Whether a card that is not ignored this turn is controlled by another player (§6)."""
    return controller_of(s, card) != seat and is_in_role(s, card)


@kernel
def usable_abilities(r: Any, s: Any, card: Any, seat: Any) -> Any:
    """The abilities of one card that a player can use now, bit k for its k-th one."""
    found = np.int64(0)
    kind = s.kind[card]
    abilities = np.uint32(1 << HEAD_ACT | 1 << HEAD_ACT_TURN | 1 << HEAD_KW)
    if (r.heads[kind] & abilities == 0 and s.grant_count == 0) or not has_text(r, s, card):
        return found
    ability = np.int64(1)
    for place in range(clause_total(r, s, card)):
        clause = clause_at(r, s, card, place)
        if is_ability(r, clause):
            if can_use(r, s, card, seat, clause, place):
                found |= ability
            ability <<= 1
    return found


@kernel
def is_ability(r: Any, clause: Any) -> Any:
    """Whether a clause is an activated ability: ACT, or the keyword withdraw (§11)."""
    head = r.clause_head[clause]
    if head == HEAD_KW:
        return keyword_of(r, clause) == WITHDRAW_BIT
    return head in (HEAD_ACT, HEAD_ACT_TURN)


@kernel
def count_abilities(r: Any, s: Any, card: Any) -> Any:
    """Number of abilities of a card, granted ones included."""
    count = np.int64(0)
    for place in range(clause_total(r, s, card)):
        count += is_ability(r, clause_at(r, s, card, place))
    return count


@kernel
def can_use(r: Any, s: Any, card: Any, seat: Any, clause: Any, place: Any) -> Any:
    """§8.3: whether a player can use the ability that is clause `place` of a card now."""
    if r.clause_head[clause] == HEAD_KW:  # withdraw, from the mission or from a card
        return s.zone[card] in (AT_MISSION, ATTACHED) and controller_of(s, card) == seat
    is_once = r.clause_head[clause] == HEAD_ACT_TURN
    if is_once and np.int64(s.used[card]) >> place & 1:
        return False
    if not is_user(r, s, clause, card, seat):
        return False
    set_context(s, card, seat)
    s.context_granter = granter_at(r, s, card, place)
    if not clause_works(r, s, clause, card):
        return False
    evaluate(r, s, np.int64(r.clause_check[clause]))
    return pop(s) != 0


@kernel
def is_user(r: Any, s: Any, clause: Any, card: Any, seat: Any) -> Any:
    """§8.3: whether a player is one who may use an ability."""
    user = r.clause_user[clause]
    if user == USER_HOST_OWNER:
        return s.zone[card] == ATTACHED and owner_of(np.int64(s.host[card])) == seat
    return user == USER_ANY or controller_of(s, card) == seat


@separate_kernel
def ability_at(r: Any, s: Any, card: Any, seat: Any, position: Any) -> Any:
    """The ability of a bit of `usable`: its card * CLAUSES_PER_CARD + the place of its clause."""
    left = np.int64(position)
    total = count_abilities(r, s, card)
    if left < total:
        return card * CLAUSES_PER_CARD + clause_of_ability(r, s, card, left)
    left -= total
    other = first_of(s.zones[ATTACHED])
    while other != NO_CARD:
        if s.host[other] == card and is_of_others(s, other, seat):
            total = count_abilities(r, s, other)
            if left < total:
                return other * CLAUSES_PER_CARD + clause_of_ability(r, s, other, left)
            left -= total
        other = next_of(s.zones[ATTACHED], other)
    return np.int64(card * CLAUSES_PER_CARD)


@kernel
def clause_of_ability(r: Any, s: Any, card: Any, number: Any) -> Any:
    """The place of the clause that is a card's ability of that number (from 0)."""
    left = np.int64(number)
    for place in range(clause_total(r, s, card)):
        if is_ability(r, clause_at(r, s, card, place)):
            if left == 0:
                return np.int64(place)
            left -= 1
    return np.int64(0)


@kernel
def mask_options(r: Any, s: Any, seat: Any) -> None:
    """Which of the abilities of `usable`: option k is the k-th."""
    found = usable(r, s, np.int64(s.resolving), seat)
    for k in range(MAX_OPTIONS):
        if found >> k & 1:
            allow(s, OPTION + k)


@kernel
def mask_boosts(r: Any, s: Any, seat: Any) -> None:
    """Which of several assigned cards to boost."""
    find_boosts(r, s, np.int64(s.resolving), seat)
    card = first_of(s.static_cards)
    while card != NO_CARD:
        allow(s, name_card(r, s, seat, card))
        card = next_of(s.static_cards, card)


@kernel
def mask_pending(r: Any, s: Any, seat: Any, is_text: Any) -> None:
    """Cards with a text that waits."""
    for k in range(np.int64(s.pending_count)):
        if (s.pending_is_text[k] != 0) == is_text:
            allow(s, name_card(r, s, seat, np.int64(s.pending_self[k])))


@kernel
def mask_frame(r: Any, s: Any, seat: Any, prompt: Any) -> None:
    """What a text under way lets its player choose."""
    frame = np.int64(s.frame_count) - 1
    words = s.frame_candidates[frame]
    if prompt == ASK_SCRY:
        if s.frame_least[frame] == 0:
            allow(s, DONE)
    elif prompt == ASK_GLYPH and s.frame_least[frame] == 0:
        words = s.frame_chosen[frame]
    elif prompt == ASK_TARGET and count_chosen(s, frame) >= np.int64(s.frame_least[frame]):
        allow(s, DONE)
    card = first_of(words)
    while card != NO_CARD:
        zone = s.zone[card]
        if zone == COMPLICATION and owner_of(card) != seat:
            allow(s, SLOT + slot_of(s, card))
        elif zone not in (HAND, DECK, DISCARD, MISSIONS) or is_first_copy(s, words, card):
            allow(s, name_card(r, s, seat, card))
        card = next_of(words, card)


@kernel
def count_chosen(s: Any, frame: Any) -> Any:
    """Number of cards chosen so far."""
    count = 0
    card = first_of(s.frame_chosen[frame])
    while card != NO_CARD:
        count += 1
        card = next_of(s.frame_chosen[frame], card)
    return count


@kernel
def mask_fate(r: Any, s: Any) -> None:
    """§9.4: what can become of the assigned adversary."""
    judged = np.int64(s.judged)
    if not contains(s.no_revive, judged) and can_pay_revive(r, s, judged):
        allow(s, REVIVE)
    if not s.succeeded and not becomes_with(s, judged, NO_SCORE):
        allow(s, SCORE)
    allow(s, LET_DIE)


@kernel
def mask_dominion(r: Any, s: Any, seat: Any) -> None:
    """§9.4: an obstacle with dominion, or none."""
    allow(s, NO)
    card = first_of(s.dominion)
    while card != NO_CARD:
        allow(s, name_card(r, s, seat, card))
        card = next_of(s.dominion, card)


@kernel
def mask_ships(r: Any, s: Any, seat: Any) -> None:
    """§9.1 step 3: an opposing ship at the mission, or none."""
    allow(s, NO)
    other = other_of(s, seat)
    for k in range(other * SEAT_WORDS, (other + 1) * SEAT_WORDS):
        word = in_play_word(s, k)
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_assigned_ship(r, s, card):
                allow(s, name_card(r, s, seat, card))


@kernel
def mask_recipient(r: Any, s: Any) -> None:
    """§9.5: characters that were assigned and are still in play."""
    seat = np.int64(s.hero)
    card = first_of(s.assigned_at_resolution)
    while card != NO_CARD:
        if s.zone[card] == PLAY:
            allow(s, name_card(r, s, seat, card))
        card = next_of(s.assigned_at_resolution, card)


@kernel
def mask_zone(r: Any, s: Any, seat: Any, zone: Any) -> None:
    """A player's cards in a zone, of copies the first."""
    words = s.zones[zone]
    for k in range(seat * SEAT_WORDS, (seat + 1) * SEAT_WORDS):
        word = words[k]
        while word != NONE:
            card = k * WORD_BITS + lowest(word)
            word = without_lowest(word)
            if is_first_copy(s, words, card):
                allow(s, name_card(r, s, seat, card))
