"""A table as the players who look at it see it: what text pictures and drawings begin with."""

from __future__ import annotations

from collections.abc import Mapping

from .game import Json, Ruleset


class SeenTable:
    """Views of a position by player, for the one who looks or for all of them."""

    ruleset: Ruleset
    views: Mapping[int, Json]
    """player -> what that player may know (`Game.view_to_json`)."""

    @property
    def count(self) -> int:
        """Number of players."""
        return self.ruleset.num_players

    @property
    def first(self) -> int:
        """The player whose view tells what everybody knows."""
        return next(iter(self.views))

    @property
    def table(self) -> Json:
        """The view of `first`; its seats are counted from that player on."""
        return self.views[self.first]

    def player_at(self, seat: int) -> int:
        """The player at a seat of `table`."""
        return (self.first + seat) % self.count

    def seat_of(self, player: int) -> Json:
        """What is seen before a player; by the player himself if he looks."""
        if player in self.views:
            own: Json = self.views[player]["seats"][0]
            return own
        seat: Json = self.table["seats"][(player - self.first) % self.count]
        return seat
