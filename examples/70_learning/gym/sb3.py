"""The virtual worlds with Stable-Baselines3: PPO learns to move around in rooms.

python examples/70_learning/gym/sb3.py [steps]

Needs Stable-Baselines3, which is not a dependency of drycell; without it, this script prints how to install it.
"""

import sys

INSTALL = """\
Stable-Baselines3 is not installed. It takes, in this order:
  pip install torch==2.13.0          (by itself; without a version, several GB of libraries for GPUs may come along)
  pip install stable-baselines3 'path/to/drycell[learn]'"""


def main(steps: int) -> None:
    try:
        from stable_baselines3 import PPO
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.evaluation import evaluate_policy
    except ImportError:
        print(INSTALL)
        return
    import drycell.learn.gym  # noqa: F401  registers the environments

    env = make_vec_env("drycell/NomadRooms-v0", n_envs=8, seed=1, env_kwargs={"render_mode": None})
    model = PPO("MlpPolicy", env, seed=1, n_steps=256, device="cpu")
    before, _ = evaluate_policy(model, env, n_eval_episodes=20)
    model.learn(steps)
    after, _ = evaluate_policy(model, env, n_eval_episodes=20)
    print(f"mean return {before:.1f} before, {after:.1f} after {steps} steps")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50_000)
