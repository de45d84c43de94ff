"""The same worlds for Stable-Baselines3: PPO learns to get about in rooms. Needs what drycell does not bring.

pip install torch==2.13.0          first and by itself; without a version, several GB of libraries for GPUs come along
pip install stable-baselines3
python examples/70_learning/gym/sb3.py [steps]
"""

import sys


def main(steps: int) -> None:
    try:
        from stable_baselines3 import PPO
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.evaluation import evaluate_policy
    except ImportError:
        print("Stable-Baselines3 is not installed; the first lines of this file say how to")
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
