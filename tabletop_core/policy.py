"""Trained policies as files: what they were trained for, and the weights of a small network.

A checkpoint is a NumPy archive (`.npz`) of plain arrays; nothing in it is ever unpickled. Playing
needs NumPy alone: `Policy.logits` computes what the framework computed that trained the network.

- `header`, uint8 [bytes]: JSON of `PolicyHeader`;
- `inputs`, int64 [inputs]: what the network reads, as places in the observation followed by the
  action mask;
- `scale`, float32 [inputs]: what each of them is multiplied by;
- `weight_k`, float32 [in, out], and `bias_k`, float32 [out]: layer k = 0, 1, ..; the last layer has
  an output for each action.

Between the layers stands max(x, 0).
"""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from importlib.metadata import version
from io import BytesIO
from typing import Any, Final

import numpy as np

from .errors import TabletopError, shown
from .files import new_file, path_text, reason
from .game import Array, Json, Ruleset

FORMAT: Final = 1
MAX_BYTES: Final = 1 << 28  # of a whole checkpoint, unpacked
MAX_LAYERS: Final = 64
NPY_VERSION: Final = (1, 0)
PACKAGE: Final = "tabletop-envs"
# What reading bytes that are no checkpoint can raise.
DAMAGE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,  # data that end too early
    LookupError,  # an array that is not there
    RuntimeError,  # encrypted, compressed in a way that is not known, or JSON nested too deep
    TypeError,  # a header of an array that is no literal of the right kind
    ValueError,  # the checks here, NumPy's, and text that is no JSON
)


# --- what a network is for -------------------------------------------------------------------


@dataclass(frozen=True)
class PolicyHeader:
    """What a network was trained for; it can play nothing else."""

    format: int
    game: str
    """Id of the game, for example `jumpgate_v0`."""
    num_players: int
    ruleset: str
    """Digest of the ruleset, 16 hexadecimal digits."""
    options: Json
    """Rule options as JSON types."""
    observation_size: int
    num_actions: int
    sizes: list[int]
    """Number of inputs, of units of each hidden layer, and of actions."""
    package_version: str
    """Version of this package that wrote the file."""
    training: Json
    """How it was trained, as JSON types; for people to read."""

    @staticmethod
    def of(ruleset: Ruleset, sizes: list[int], training: Json) -> PolicyHeader:
        """The header of a network for `ruleset`."""
        game = ruleset.game
        return PolicyHeader(
            format=FORMAT,
            game=game.id,
            num_players=ruleset.num_players,
            ruleset=f"{ruleset.digest:016x}",
            options=game.options_to_json(ruleset),
            observation_size=game.observation.size,
            num_actions=game.actions.count,
            sizes=sizes,
            package_version=version(PACKAGE),
            training=training,
        )

    def check_ruleset(self, ruleset: Ruleset, file: str) -> None:
        """Raise TabletopError, which begins with `file`, unless it is for this ruleset."""
        game = ruleset.game
        if self.game != game.id:
            raise TabletopError(f"{file} was trained for {self.game} and cannot play {game.id}")
        if self.num_players != ruleset.num_players:
            raise TabletopError(
                f"{file} was trained for {self.num_players} players and cannot play with "
                f"{ruleset.num_players}"
            )
        if self.ruleset != f"{ruleset.digest:016x}":
            raise TabletopError(
                f"{file} was trained with other rules of {game.id} (digest {self.ruleset}, here "
                f"{ruleset.digest:016x}): {self._differing_options(ruleset)}"
            )
        sizes = game.observation.size, game.actions.count
        if (self.observation_size, self.num_actions) != sizes:
            raise TabletopError(
                f"{file} knows {self.observation_size} entries of an observation and "
                f"{self.num_actions} actions, but {game.id} has {sizes[0]} and {sizes[1]}"
            )

    def _differing_options(self, ruleset: Ruleset) -> str:
        here = ruleset.game.options_to_json(ruleset)
        parts = [
            f"{name} {shown(self.options.get(name))} there, {shown(value)} here"
            for name, value in here.items()
            if self.options.get(name) != value
        ]
        return "; ".join(parts) or "the tables of the game have changed since"


# --- networks --------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Policy:
    """A network that says how much it likes each action."""

    header: PolicyHeader
    inputs: Array
    """int64 [inputs]: what it reads, as places in the observation followed by the action mask."""
    scale: Array
    """float32 [inputs]: what each of them is multiplied by."""
    layers: tuple[tuple[Array, Array], ...]
    """(weight float32 [in, out], bias float32 [out]) of each layer."""

    def logits(self, observation: Array, mask: Array) -> Array:
        """How much it likes each action, float32 [..., num_actions].

        observation: uint8 [..., observation_size]; mask: [..., num_actions], 1 for each legal
        action. The legal actions are to be played in proportion to exp(logits).
        """
        seen = np.concatenate((observation, mask.astype(np.uint8)), axis=-1)
        values = seen[..., self.inputs].astype(np.float32) * self.scale
        for weight, bias in self.layers[:-1]:
            values = np.maximum(values @ weight + bias, 0)
        weight, bias = self.layers[-1]
        result: Array = values @ weight + bias
        return result

    def choose(
        self, observation: Array, mask: Array, temperature: float, rng: np.random.Generator
    ) -> int:
        """A legal action (mask [num_actions], at least one is legal).

        temperature: 1 plays as in training, smaller values prefer the best actions more; 0 always
        plays the first of the best ones and draws nothing from `rng`.
        """
        legal = np.flatnonzero(mask)
        logits = self.logits(observation, mask)[legal].astype(np.float64)
        if temperature == 0:
            return int(legal[logits.argmax()])
        weights = np.exp((logits - logits.max()) / temperature)
        bounds = np.cumsum(weights)
        drawn = np.searchsorted(bounds, rng.random() * bounds[-1], side="right")
        return int(legal[min(drawn, len(legal) - 1)])

    @cached_property
    def _arrays(self) -> dict[str, Array]:
        text = json.dumps(asdict(self.header)).encode()
        arrays = {"header": np.frombuffer(text, np.uint8)}
        arrays |= {"inputs": self.inputs, "scale": self.scale}
        for k, (weight, bias) in enumerate(self.layers):
            arrays |= {f"weight_{k}": weight, f"bias_{k}": bias}
        return arrays

    def save(self, path: str | os.PathLike[str], force: bool = False) -> None:
        """Write a checkpoint; with `force` in place of another file.

        Raises:
            TabletopError: something of that name exists, or the file cannot be written.
        """
        with new_file(path, force) as stream:
            # Numbers only: nothing is pickled.
            np.savez(stream, **self._arrays)  # type: ignore[arg-type]


# --- reading ---------------------------------------------------------------------------------


def load_policy(path: str | os.PathLike[str]) -> Policy:
    """The policy in a checkpoint. Sizes are checked before anything is unpacked.

    Raises:
        TabletopError: the file cannot be read, is no checkpoint, or is damaged.
    """
    file = path_text(path)
    try:
        with zipfile.ZipFile(path) as archive:
            _check_size(archive)
            return _read_policy(archive)
    except OSError as error:
        raise TabletopError(f"{file} cannot be read: {reason(error)}") from None
    except DAMAGE as error:
        raise TabletopError(f"{file} is damaged or no checkpoint of a policy: {error}") from None


def _check_size(archive: zipfile.ZipFile) -> None:
    size = sum(member.file_size for member in archive.infolist())
    if size > MAX_BYTES:
        raise ValueError(f"it unpacks to {size} bytes, more than the {MAX_BYTES} that are read")


def _read_policy(archive: zipfile.ZipFile) -> Policy:
    header = _parse_header(_read_array(archive, "header", np.uint8, None).tobytes())
    inputs = _read_array(archive, "inputs", np.int64, (header.sizes[0],))
    entries = header.observation_size + header.num_actions
    if inputs.size and not 0 <= inputs.min() <= inputs.max() < entries:
        raise ValueError("it reads entries that observations and masks do not have")
    scale = _read_array(archive, "scale", np.float32, (header.sizes[0],))
    layers = tuple(
        (
            _read_array(archive, f"weight_{k}", np.float32, (header.sizes[k], header.sizes[k + 1])),
            _read_array(archive, f"bias_{k}", np.float32, (header.sizes[k + 1],)),
        )
        for k in range(len(header.sizes) - 1)
    )
    if not all(np.isfinite(array).all() for array in (scale, *sum(layers, ()))):
        raise ValueError("some weights are no finite numbers")
    return Policy(header, inputs, scale, layers)


def _read_array(
    archive: zipfile.ZipFile, name: str, dtype: type, shape: tuple[int, ...] | None
) -> Array:
    """One array of a dtype and shape (None: any vector); ValueError if it is another one."""
    data = archive.read(f"{name}.npy")
    stream = BytesIO(data)
    if np.lib.format.read_magic(stream) != NPY_VERSION:
        raise ValueError(f"{name} has an unknown format")
    found, is_fortran, found_dtype = np.lib.format.read_array_header_1_0(stream)
    wanted = (len(data) - stream.tell(),) if shape is None else shape
    if (found, found_dtype) != (wanted, np.dtype(dtype)) or (is_fortran and len(found) > 1):
        raise ValueError(f"{name} is {found_dtype} {found}, not {np.dtype(dtype)} {wanted}")
    array: Array = np.frombuffer(data, dtype, offset=stream.tell())
    return array.reshape(wanted)


def _parse_header(text: bytes) -> PolicyHeader:
    data = json.loads(text)
    names = [field.name for field in fields(PolicyHeader)]
    if (
        not isinstance(data, Mapping)
        or data.get("format") != FORMAT
        or sorted(data) != sorted(names)
    ):
        raise ValueError(f"its header is not of format {FORMAT}")
    header = PolicyHeader(**data)
    _check_types(header)
    sizes = header.sizes
    if not 2 <= len(sizes) <= MAX_LAYERS or min(sizes) < 0 or sizes[-1] != header.num_actions:
        raise ValueError(f"its header has impossible sizes {shown(sizes)}")
    return header


def _check_types(header: PolicyHeader) -> None:
    """ValueError unless all fields hold what they are annotated with."""
    kinds: dict[str, Any] = {"int": int, "str": str, "Json": dict, "list[int]": list}
    for field in fields(header):
        value = getattr(header, field.name)
        if type(value) is not kinds[str(field.type)]:
            raise ValueError(f"{field.name} in its header is {shown(value)}")
    if not all(type(size) is int for size in header.sizes):
        raise ValueError(f"sizes in its header are {shown(header.sizes)}")
