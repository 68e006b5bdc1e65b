"""A project: a folder with data, models, runs and judgments, kept trainings and tunings, optionally an index."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rankmax.data.dataset import RankingDataset
from rankmax.data.splits import split_queries
from rankmax.errors import DataFormatError, InvalidParameterError, RankmaxError, UnknownNameError
from rankmax.formats.npz import write_npz
from rankmax.formats.registry import read_dataset, require_format
from rankmax.models.model_files import ScoringModel, load_scoring_model
from rankmax.models.trees.tree_files import is_tree_file
from rankmax.workflows.projects.kept_training import KeptTraining, read_kept_training
from rankmax.workflows.projects.roles import ROLES, Role, role_of
from rankmax.workflows.projects.trec_files import TrecKind, trec_kind_of_file

PROJECT_FILE = "rankmax.toml"
"""Name of a file that names an engine and its runs."""

TUNING = ".tuning.json"
"""End of the names of kept tunings."""

TRAINING = ".training.json"
"""End of the names of kept trainings; what comes before is the model's name."""

_NAME = re.compile(r"[^\W_][\w .@+()-]{0,99}")
_TEST_SHARE = 0.2
_HEAD = 64  # bytes that tell a model of a library of trees
_TOPICS = "topics"  # part of the names of all files with texts of queries


@dataclass(frozen=True)
class Project:
    """A folder, and the data file in it to open first.

    Files are requested by name only. A name that is not a file directly in the folder, or a link that leads out of it,
    is unknown, so that a client who may name files cannot reach others.

    Attributes
    ----------
    folder : Path
    chosen : str or None
        Name of the data file to open first.

    Examples
    --------
    >>> import tempfile
    >>> from rankmax.models import LinearModel
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     LinearModel([1.0], ("bm25",)).save(f"{folder}/baseline.json")
    ...     _ = Path(folder, "test.txt").write_text("1 qid:7 1:0.5")
    ...     _ = Path(folder, "train.txt").write_text("1 qid:8 1:0.5")
    ...     project = Project.at(folder)
    ...     project.data_names, project.model_names, project.chosen
    (['train.txt', 'test.txt'], ['baseline.json'], 'train.txt')
    """

    folder: Path
    chosen: str | None

    @classmethod
    def at(cls, path: str | Path) -> Project:
        """Return the project of a folder, or of the folder that a data file is in.

        Parameters
        ----------
        path : path
        """
        given = Path(path).resolve()
        if given.is_dir():
            names = cls(given, None).data_names
            return cls(given, names[0] if names else None)
        if not given.is_file():
            raise DataFormatError(path, "no such file or folder")
        if given.name == PROJECT_FILE or trec_kind_of_file(given) is not None:
            return cls.at(given.parent)
        require_format(given)
        return cls(given.parent, given.name)

    @property
    def data_names(self) -> list[str]:
        """Names of the possible data files, training data first; a text file may turn out to be something else."""
        names = [path.name for path in self._files() if _is_data(path)]
        return sorted(names, key=lambda name: (_place(name), name))

    def parts(self, shown: str) -> list[tuple[str, Role | None]]:
        """Return the files to report a model's values on, with their roles: training queries first, test queries last.

        Parameters
        ----------
        shown : str
            Name of a data file, which takes the place of others of its role.
        """
        by_role: dict[Role | None, str] = {role_of(name): name for name in reversed(self.data_names)}
        by_role[role_of(shown)] = shown
        return [
            (by_role[role], role) for role in (None, *ROLES) if role in by_role and (role or shown == by_role[role])
        ]

    @property
    def model_names(self) -> list[str]:
        """Names of the files that hold models, those of LightGBM, XGBoost and CatBoost among them."""
        found = (path for path in self._files() if path.name in self._json_names() or _is_tree_file(path))
        return [path.name for path in found if _holds_model(path)]

    @property
    def trained_names(self) -> list[str]:
        """Names of the models whose training was kept with them."""
        return [name for name in self._json_names() if self._is_trained(name)]

    @property
    def run_names(self) -> list[str]:
        """Names of the files that hold runs in TREC's format."""
        return self._trec_names("run")

    @property
    def qrels_names(self) -> list[str]:
        """Names of the files that hold judgments in TREC's format."""
        return self._trec_names("qrels")

    @property
    def tuning_names(self) -> list[str]:
        """Names of the kept tunings, without :data:`TUNING`, the newest first."""
        found = [path for path in self._files() if path.name.endswith(TUNING)]
        return [path.name.removesuffix(TUNING) for path in sorted(found, key=_age)]

    @property
    def project_file(self) -> Path | None:
        """The file that names an engine and its runs, if there is one."""
        return next((path for path in self._files() if path.name == PROJECT_FILE), None)

    def run(self, name: str) -> Path:
        """Return the path of a run.

        Parameters
        ----------
        name : str
        """
        return self._known("run", name, self.run_names)

    def qrels(self, name: str) -> Path:
        """Return the path of judgments.

        Parameters
        ----------
        name : str
        """
        return self._known("qrels file", name, self.qrels_names)

    def tuning(self, name: str) -> Path:
        """Return the path of a kept tuning.

        Parameters
        ----------
        name : str
        """
        path = self._known("tuning", name, self.tuning_names)
        return path.with_name(path.name + TUNING)

    def data(self, name: str) -> RankingDataset:
        """Read a data file.

        Parameters
        ----------
        name : str
        """
        return read_dataset(self._known("data file", name, self.data_names))

    def model(self, name: str) -> ScoringModel:
        """Read a model.

        Parameters
        ----------
        name : str
        """
        trees = [path.name for path in self._files() if _is_tree_file(path)]
        return load_scoring_model(self._known("model", name, [*self._json_names(), *trees]))

    def training(self, name: str) -> KeptTraining | None:
        """Return the progress of the training that a model came out of, if it was kept.

        Parameters
        ----------
        name : str
            File name of the model.
        """
        model = self._known("model", name, self._json_names())
        kept = next((path for path in self._files() if path.name == model.stem + TRAINING), None)
        return None if kept is None else read_kept_training(kept, model)

    def path_of(self, name: str) -> Path:
        """Return the path of a data file.

        Parameters
        ----------
        name : str
        """
        return self._known("data file", name, self.data_names)

    def split(self, name: str) -> list[str]:
        """Write four fifths of a data file's queries and the rest to two new files, and return their names.

        Parameters
        ----------
        name : str
        """
        data = self.data(name)
        stem = name.split(".")[0]
        parts = split_queries(data, [1 - _TEST_SHARE, _TEST_SHARE], seed=0, stratified=True)
        paths = [self.new_file(f"{role}-{stem}.npz") for role in ("train", "test")]
        for path, queries in zip(paths, parts, strict=True):
            write_npz(data.select(queries), path)
        return [path.name for path in paths]

    def new_file(self, name: str, suffix: str = "") -> Path:
        """Return the path of a new file of the project.

        Parameters
        ----------
        name : str
        suffix : str
            Appended unless the name has it.
        """
        full = name if name.endswith(suffix) else f"{name}{suffix}"
        if not _NAME.fullmatch(full):
            raise InvalidParameterError(
                f"{name!r} cannot be a file name in the project: a name begins with a letter or digit and continues "
                "with letters, digits, spaces and . @ + - _ ( ), 100 characters at most"
            )
        if suffix == ".json" and full.endswith((TUNING, TRAINING)):
            raise InvalidParameterError(f"{full} cannot be the name of a model: choose one that does not end like this")
        path = self.folder / full
        if path.exists() or path.is_symlink():
            raise InvalidParameterError(f"{full} exists already; choose another name")
        return path

    def _is_trained(self, model: str) -> bool:
        try:
            return self.training(model) is not None
        except RankmaxError:
            return False

    def _known(self, kind: str, name: str, known: list[str]) -> Path:
        if name not in known:
            raise UnknownNameError(kind, name, known)
        return self.folder / name

    def _json_names(self) -> list[str]:
        found = (path.name for path in self._files() if path.suffix == ".json")
        return [name for name in found if not name.endswith((TUNING, TRAINING))]

    def _trec_names(self, kind: TrecKind) -> list[str]:
        found = (path for path in self._files() if _TOPICS not in path.name)
        return [path.name for path in found if trec_kind_of_file(path) == kind]

    def _files(self) -> list[Path]:
        inside = (path for path in self.folder.iterdir() if not path.name.startswith("."))
        return sorted(path for path in inside if path.is_file() and path.resolve().is_relative_to(self.folder))


def _is_data(path: Path) -> bool:
    if _TOPICS in path.name:
        return False
    try:
        require_format(path)
    except RankmaxError:
        return False
    return trec_kind_of_file(path) is None and not _is_tree_file(path)


def _is_tree_file(path: Path) -> bool:
    with path.open("rb") as file:
        return is_tree_file(file.read(_HEAD))


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def _holds_model(path: Path) -> bool:
    try:
        load_scoring_model(path)
    except RankmaxError:
        return False
    return True


def _place(name: str) -> int:
    role = role_of(name)
    return len(ROLES) if role is None else ROLES.index(role)
