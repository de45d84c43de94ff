"""One cell and one seed give one journal and one recording, byte for byte: twice here, in other processes, in a pool;
and one journal on other processors."""

import hashlib
import multiprocessing
import os
import platform
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from drycell.cell import CellSource

HERE = Path(__file__).parent
CELLS = {
    "first": HERE.parents[1] / "examples" / "00_first_cell" / "cell.py",
    "busy": HERE / "busy_cell.py",
}
SEEDS = {"first": 0, "busy": 7}


def hashes(cell: str, folder: Path, seed: int | None = None) -> tuple[str, str]:
    """The hashes of the journal and the recording of one run."""
    record = folder / f"{cell}.dry"
    result = CellSource.find(CELLS[cell]).build(seed=SEEDS[cell] if seed is None else seed).run(record=record)
    return result.journal_hash, hashlib.sha256(record.read_bytes()).hexdigest()


def pooled(work: tuple[str, str]) -> tuple[str, str]:
    cell, folder = work
    Path(folder).mkdir()
    return hashes(cell, Path(folder))


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, str]]:
    """Each cell run once, here."""
    return {cell: hashes(cell, tmp_path_factory.mktemp(cell)) for cell in CELLS}


SCRIPT = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("determinism", sys.argv[1])
tests = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tests)
for cell in tests.CELLS:
    print(cell, *tests.hashes(cell, Path(sys.argv[2])), flush=True)
"""


def elsewhere(folder: Path, **environment: str) -> dict[str, tuple[str, str]]:
    """Repeat the runs in another process with another environment, without the output of the programs."""
    ran = subprocess.run(
        [sys.executable, "-c", SCRIPT, __file__, str(folder)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line.split() for line in ran.stdout.splitlines()]
    return {line[0]: (line[1], line[2]) for line in lines if line[0] in CELLS}


@pytest.mark.parametrize("cell", CELLS)
def test_a_second_run_in_one_process_is_identical_byte_for_byte(cell: str, reference, tmp_path: Path) -> None:
    assert hashes(cell, tmp_path) == reference[cell]


def test_another_seed_is_another_run(reference, tmp_path: Path) -> None:
    assert hashes("busy", tmp_path, seed=8)[0] != reference["busy"][0]


@pytest.mark.parametrize("hash_seed", ["1", "4242"])
def test_other_hash_seeds_change_nothing(hash_seed: str, reference, tmp_path: Path) -> None:
    assert elsewhere(tmp_path, PYTHONHASHSEED=hash_seed) == reference


def test_a_pool_gives_what_one_process_gives(reference, tmp_path: Path) -> None:
    work = [(cell, str(tmp_path / f"{cell}{number}")) for number in range(2) for cell in CELLS]
    # Started from scratch and not forked: caches of this process must not help.
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(pooled, work)
    assert found == [reference[cell] for cell, _ in work]


# ---------------------------------------------------------------- other processors

X86 = platform.machine() in ("x86_64", "AMD64")
PROCESSORS = {
    "a BLAS for Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "a BLAS for Nehalem": {"OPENBLAS_CORETYPE": "Nehalem"},
    "no fused multiply-add in the C library": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"},
    "no vector instructions in numpy": {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR"},
}
# Last bits of sines, of a matrix product and of an array of exponentials, which the environments above change.
BITS = """
import hashlib, math
import numpy as np
numbers = np.random.default_rng(1).uniform(-10, 10, (300, 300))
print(hashlib.sha256(b"".join(math.sin(x).hex().encode() for x in numbers.flat)).hexdigest())
print(hashlib.sha256((numbers @ numbers).tobytes()).hexdigest())
print(hashlib.sha256(np.exp(numbers).tobytes()).hexdigest())
"""


@cache
def bits(name: str | None) -> str:
    environment = {**os.environ, **(PROCESSORS[name] if name else {}), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, "-c", BITS], env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.skipif(not X86, reason="these switches are those of x86 processors")
@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_journal_is_the_same_on_other_processors(processor: str, reference, tmp_path: Path) -> None:
    if bits(processor) == bits(None):
        pytest.skip("the switch changes nothing on this machine")
    found = elsewhere(tmp_path, **PROCESSORS[processor], PYTHONWARNINGS="ignore")
    assert {cell: journal for cell, (journal, _) in found.items()} == {
        cell: journal for cell, (journal, _) in reference.items()
    }
