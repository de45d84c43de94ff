"""The engine of many machines: Dask distributed (extra ``cluster``). All state of a campaign stays here, so a cluster
that dies costs only the runs in progress.

Dask executes what it is sent, and drycell's own code trusts it in turn: anyone who can connect to a scheduler can run
code on all its machines. So without TLS only loopback is allowed, and with TLS a certificate is needed to connect.
"""

import subprocess
import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from drycell.base import DrycellError, folder_to_write
from drycell.campaign.bundle import Bundle, differences, identity
from drycell.campaign.design import RunPoint
from drycell.campaign.local import killed_row
from drycell.campaign.store import CampaignError
from drycell.campaign.work import RunRow, run

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
_AHEAD: Final = 3
"""The number of tasks per worker that are sent ahead, so that no worker waits."""
_TASK: Final = 2.0  # seconds of CPU time: a task of one short run costs more to send than to execute
_MOST_RUNS: Final = 200
_PATIENCE: Final = 60.0  # seconds of wall time to wait for the scheduler and the first worker
_FILES: Final = ("ca.pem", "cert.pem", "key.pem")
_DAYS: Final = 365


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a scheduler: ``tcp://127.0.0.1:8786``, or ``tls://host:8786`` with a folder of certificates."""

    url: str
    certificates: Path | None = None

    @classmethod
    def of(cls, text: str, certificates: str | Path | None = None) -> "Address":
        """Check an address. Without TLS, it must be that of this machine.

        Raises:
            DrycellError: It is not an address, or it is not protected.
        """
        parts = urlsplit(text)
        try:
            port = parts.port
        except ValueError:
            port = None
        if parts.scheme not in ("tcp", "tls") or not parts.hostname or port is None:
            raise DrycellError(
                f"{text!r} is not the address of a scheduler", hint="write tls://host:8786, or tcp://127.0.0.1:8786"
            )
        if parts.scheme == "tcp":
            if parts.hostname not in LOOPBACK:
                raise DrycellError(
                    f"{text} is not protected, and not on this machine: anyone who can reach the scheduler could run "
                    "code on all its machines",
                    hint="use tls://… with --tls DIR; drycell worker --new-keys DIR creates the certificates",
                )
            return cls(text)
        if certificates is None:
            raise DrycellError(f"{text} needs certificates", hint="name their folder: --tls DIR")
        folder = Path(certificates)
        for name in _FILES:
            if not (folder / name).is_file():
                raise DrycellError(
                    f"{folder} has no {name}", hint="create certificates with drycell worker --new-keys DIR"
                )
        return cls(text, folder)

    @property
    def host(self) -> str:
        """The host."""
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        """The port."""
        return urlsplit(self.url).port or 0

    @property
    def protocol(self) -> str:
        """``tcp`` or ``tls``."""
        return urlsplit(self.url).scheme

    def security(self) -> Any:
        """Return Dask's description of the certificates: both sides of each connection must have one."""
        security = _distributed().Security
        if self.certificates is None:
            return security(require_encryption=False)
        ca, certificate, key = (str(self.certificates / name) for name in _FILES)
        roles = {
            f"tls_{role}_{what}": path
            for role in ("client", "scheduler", "worker")
            for what, path in (("cert", certificate), ("key", key))
        }
        return security(tls_ca_file=ca, require_encryption=True, **roles)


def _distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise DrycellError("clusters need Dask", hint="pip install 'drycell[cluster]' on every machine") from error
    return distributed


# ---------------------------------------------------------------- on the worker

_cells: dict[str, tuple[Any, Path]] = {}  # unpacked bundles of this process, with the folders that hold them


def work_on(digest: str, packed: bytes, wanted: dict[str, str], jobs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Make runs on a worker. The bundle is unpacked once, into a folder of this process.

    Returns:
        ``rows``, or ``refused``: what differs between this machine and the one that runs the campaign.
    """
    if found := differences(wanted, identity()):
        return {"refused": found}
    if digest not in _cells:
        folder = tempfile.TemporaryDirectory(prefix="drycell-campaign-")  # deleted with the process
        _cells[digest] = folder, Bundle.unpacked(packed).write(Path(folder.name) / "cell")
    cell, rows = _cells[digest][1], []
    for job in jobs:
        row = run(cell, RunPoint.of(job))
        if row is not None:
            rows.append(row.data())
    return {"rows": rows}


# ---------------------------------------------------------------- here


class ClusterEngine:
    """Runs points on the workers of a Dask scheduler.

    Args:
        bundle: The files of the cell, which are sent to every worker once.
        address: The address of the scheduler.

    Raises:
        CampaignError: The scheduler cannot be reached, has no worker, or a worker has other software.
    """

    def __init__(self, bundle: Bundle, address: Address) -> None:
        distributed = _distributed()
        self._errors = (distributed.client.FutureCancelledError, OSError, TimeoutError)
        self._address, self._digest = address, bundle.digest
        try:
            self._client = distributed.Client(
                address.url, security=address.security(), timeout=_PATIENCE, set_as_default=False
            )
        except (OSError, TimeoutError) as error:
            raise CampaignError(
                f"the scheduler at {address.url} cannot be reached: {error}",
                hint=f"start it with drycell worker --scheduler {address.url}",
            ) from error
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
            self._check_workers()
            self._packed = self._client.scatter(bundle.packed(), broadcast=True)
        except TimeoutError as error:
            self.close()
            raise CampaignError(
                f"the scheduler at {address.url} has no workers", hint=f"start some: drycell worker {address.url}"
            ) from error
        except BaseException:
            self.close()
            raise

    @property
    def lanes(self) -> int:
        """The number of workers now; they may come and go."""
        return max(len(self._client.nthreads()), 1)

    def rows(self, points: Iterator[RunPoint]) -> Iterator[list[RunRow]]:
        """Make runs, and yield their rows as they arrive."""
        try:
            yield from self._rows(points)
        except self._errors as error:
            raise CampaignError(
                f"the scheduler at {self._address.url} is gone: {error}",
                hint="start it and its workers again; the same command continues the campaign",
            ) from error

    def close(self) -> None:
        """Disconnect. Workers drop what they were doing."""
        self._client.close()

    def _rows(self, points: Iterator[RunPoint]) -> Iterator[list[RunRow]]:
        distributed = _distributed()
        done = distributed.as_completed(loop=self._client.loop)
        sent: dict[str, list[RunPoint]] = {}
        suspects: deque[RunPoint] = deque()
        size, spent, made, number = 1, 0.0, 0, 0

        def send(chunk: list[RunPoint]) -> None:
            nonlocal number
            number += 1
            key = f"drycell-{self._digest[:12]}-{chunk[0].key}-{number}"
            jobs = [each.data() for each in chunk]
            future = self._client.submit(
                work_on, self._digest, self._packed, identity(), jobs, key=key, pure=False, retries=0
            )
            sent[future.key] = chunk
            done.add(future)

        def fill() -> None:
            wanted = _AHEAD * self.lanes
            while len(sent) < wanted and (chunk := list(islice(points, size))):
                send(chunk)

        fill()
        while sent or suspects:
            if not sent:
                send([suspects.popleft()])  # alone, so that only the culprit is blamed
            future = next(done)
            chunk = sent.pop(future.key)
            try:
                answer = future.result()
            except distributed.KilledWorker as error:
                # Dask blames all tasks that were assigned to a worker that has died.
                alone = len(chunk) == 1 and not sent and not suspects
                if alone:
                    yield [killed_row(chunk[0], f"its worker died repeatedly: {str(error).splitlines()[0]}")]
                else:
                    suspects.extend(chunk)
            else:
                if "refused" in answer:
                    raise _refusal("a worker that has joined", answer["refused"])
                rows = [RunRow.of(each) for each in answer["rows"]]
                missing = {each.key for each in chunk} - {each.key for each in rows}
                suspects.extend(each for each in chunk if each.key in missing)
                made, spent = made + len(rows), spent + sum(each.cpu for each in rows)
                size = max(1, min(int(_TASK * made / spent) if spent else _MOST_RUNS, _MOST_RUNS))
                if rows:
                    yield rows
            future.release()
            if not suspects:
                fill()

    def _check_workers(self) -> None:
        """Compare drycell, its files and libraries on all workers with those here, before any work is sent."""
        for worker, found in self._client.run(identity).items():
            if found := differences(identity(), found):
                raise _refusal(f"worker {worker}", found)
        threads = {worker: count for worker, count in self._client.nthreads().items() if count != 1}
        if threads:
            raise CampaignError(
                f"worker {next(iter(threads))} has {next(iter(threads.values()))} threads, which share one core in "
                "Python",
                hint="start workers with drycell worker, which have one thread each",
            )


def _refusal(who: str, found: list[str]) -> CampaignError:
    shown = "; ".join(found[:6])
    return CampaignError(
        f"{who} has other software than this machine: {shown}", hint="install the same versions on every machine"
    )


# ---------------------------------------------------------------- schedulers, workers, certificates


async def serve_scheduler(address: Address) -> None:
    """Run a scheduler until it is stopped. It has no dashboard: that would be a server without a password."""
    scheduler = _distributed().Scheduler(
        host=address.host,
        port=address.port,
        protocol=address.protocol,
        security=address.security(),
        dashboard=False,
        dashboard_address=None,
    )
    async with scheduler:
        print(f"scheduler at {scheduler.address}", flush=True)
        await scheduler.finished()


async def serve_workers(address: Address, count: int, folder: Path) -> None:
    """Run worker processes with one thread each, until the scheduler is gone. A process that dies is replaced."""
    import asyncio
    from contextlib import AsyncExitStack

    distributed = _distributed()
    async with AsyncExitStack() as stack:
        nannies = [
            await stack.enter_async_context(
                distributed.Nanny(
                    address.url,
                    nthreads=1,
                    security=address.security(),
                    protocol=address.protocol,
                    host="127.0.0.1" if address.host in LOOPBACK else None,
                    local_directory=str(folder),
                    dashboard=False,
                    dashboard_address=None,
                    memory_limit=0,
                    death_timeout=_PATIENCE,
                )
            )
            for _ in range(count)
        ]
        print(f"{count} worker{'s' * (count > 1)} of {address.url}", flush=True)
        await asyncio.gather(*(each.finished() for each in nannies))


def configure() -> None:
    """Set the options of Dask that drycell needs: no profiler (it costs up to 20 %), and one thread per library."""
    _distributed()
    from dask import config

    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), 1)
    config.set(
        {
            "distributed.worker.profile.enabled": False,
            "distributed.nanny.pre-spawn-environ": threads,
            "distributed.scheduler.allowed-failures": 2,
        }
    )


def new_keys(folder: str | Path) -> list[Path]:
    """Create a certificate authority, and a certificate that it has signed, for all machines of one cluster.

    Anyone who has the files can run code on all these machines. ``ca-key.pem`` is only needed to sign further
    certificates.

    Raises:
        DrycellError: There are keys in the folder, or openssl is not installed.
    """
    target = folder_to_write(folder)
    if taken := next((name for name in (*_FILES, "ca-key.pem") if (target / name).exists()), None):
        raise DrycellError(f"{target} already has a {taken}", hint="choose an empty folder")
    target.chmod(0o700)
    days = ["-days", str(_DAYS)]
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    with tempfile.TemporaryDirectory() as scratch:
        request = str(Path(scratch) / "request.pem")
        authority = ["-keyout", str(target / "ca-key.pem"), "-out", str(target / "ca.pem")]
        signed = ["-CA", str(target / "ca.pem"), "-CAkey", str(target / "ca-key.pem"), "-CAcreateserial"]
        serial = ["-CAserial", str(Path(scratch) / "serial"), "-out", str(target / "cert.pem")]
        for words in (
            ["req", "-x509", *curve, *days, "-subj", "/CN=drycell campaigns CA", *authority],
            [
                "req",
                "-new",
                *curve,
                "-subj",
                "/CN=drycell campaigns",
                "-keyout",
                str(target / "key.pem"),
                "-out",
                request,
            ],
            ["x509", "-req", "-in", request, *signed, *serial, *days],
        ):
            try:
                subprocess.run(["openssl", *words], check=True, capture_output=True, text=True)
            except FileNotFoundError:
                raise DrycellError(
                    "openssl is not installed", hint="install it, or create the certificates elsewhere"
                ) from None
            except subprocess.CalledProcessError as error:
                raise DrycellError(f"openssl {words[0]} failed: {error.stderr.strip()}") from error
    for name in ("ca-key.pem", "key.pem"):
        (target / name).chmod(0o600)
    return [target / name for name in (*_FILES, "ca-key.pem")]
