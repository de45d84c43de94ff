"""Run the workers of a cluster, or its scheduler, for campaigns on many machines. Needs the `cluster` extra.

A cluster is one scheduler and any number of workers, on any machines, which all have the same drycell, Python and
libraries; drycell campaign checks this before it sends any work. Workers have one thread each, no dashboard and no
profiler. They end when the scheduler is gone.

SECURITY: anyone who can connect to a scheduler can run code on all its machines. Without TLS (tcp://), drycell accepts
only addresses of this machine. With TLS, everyone needs a certificate of the same authority: --new-keys creates one;
copy ca.pem, cert.pem and key.pem to every machine over a secure channel, and keep ca-key.pem to yourself.


examples:
  drycell worker --scheduler tcp://127.0.0.1:8786         on one machine: a scheduler,
  drycell worker tcp://127.0.0.1:8786 --jobs 2            two workers in another terminal,
  drycell campaign CELL --cluster tcp://127.0.0.1:8786 --out out/cluster

  drycell worker --new-keys keys                          on many machines: certificates first,
  drycell worker --scheduler tls://0.0.0.0:8786 --tls keys
  drycell worker tls://head-node:8786 --tls keys          then this on every machine,
  drycell campaign CELL --cluster tls://head-node:8786 --tls keys --out out/cluster
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

from drycell.base import DrycellError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell worker``."""
    parser.add_argument("address", metavar="ADDRESS", nargs="?", help="the scheduler: tls://host:8786")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="run the scheduler at this address, and no workers")
    parser.add_argument("--jobs", type=int, metavar="N", help="worker processes (default: one per core)")
    parser.add_argument("--tls", metavar="DIR", help="folder with ca.pem, cert.pem and key.pem")
    parser.add_argument("--folder", metavar="DIR", help="folder for temporary files (default: the system's)")
    parser.add_argument("--new-keys", metavar="DIR", help="create certificates for a cluster in this folder, and exit")


def main(options: argparse.Namespace) -> int:
    """Run workers or a scheduler until they are stopped."""
    from drycell.campaign import cluster
    from drycell.workers import cores

    given = [options.address, options.scheduler, options.new_keys]
    if sum(each is not None for each in given) != 1:
        raise DrycellError(
            "give one of ADDRESS, --scheduler ADDRESS and --new-keys DIR", hint="see drycell worker --help"
        )
    if options.new_keys is not None:
        for path in cluster.new_keys(options.new_keys):
            print(f"  {path}")
        return 0
    address = cluster.Address.of(options.address or options.scheduler, options.tls)
    cluster.configure()
    try:
        if options.scheduler is not None:
            asyncio.run(cluster.serve_scheduler(address))
        else:
            with tempfile.TemporaryDirectory(dir=options.folder, prefix="drycell-worker-") as folder:
                asyncio.run(cluster.serve_workers(address, options.jobs or cores(), Path(folder)))
    except OSError as error:
        raise DrycellError(
            f"{address.url}: {error}", hint="is the address right, and is the scheduler running?"
        ) from error
    return 0
