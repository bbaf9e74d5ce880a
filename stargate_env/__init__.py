"""The Stargate trading card game (2007) as data, card language and rules.

Unofficial; see `data/README.md` for what the names and facts are and where they come from. The game
is under construction and offers no environment yet: `python -m stargate_env coverage` tells how far
its cards are.
"""
