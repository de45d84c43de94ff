"""Find the slowest feed (longest machining time) that still makes 75 parts in an hour, with Optuna.

Every trial is run with the same seeds, so the optimiser sees the effect of the parameter and not luck. Trials are kept
in the folder of the campaign: started again, the study makes the same proposals and no run is made twice.
Needs: pip install optuna
"""

import sys
from pathlib import Path

import optuna

from drycell.campaign import Campaign

HERE = Path(__file__).parent
WANTED = 75


def main(out, trials=12):
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=1))
    campaign = Campaign(HERE, seeds=range(5), programs={"arm": ["two_grippers.py"]})
    with campaign.open(out) as session:
        for _ in range(trials):
            trial = study.ask()
            longest = trial.suggest_float("longest", 21, 60)
            (found,) = session.evaluate([{"machine.args.longest": f"{longest:.3f}"}])
            parts = found.mean("parts")
            study.tell(trial, longest if parts.low >= WANTED else parts.mean - WANTED)
    print(f"longest machining time for {WANTED} parts: {study.best_params['longest']:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "out/optimised")
