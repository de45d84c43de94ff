"""The worlds pass Gymnasium's checker, are seeded and run side by side; a standard learner trains on them."""

from itertools import pairwise

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import drycell.learn.gym as worlds
from drycell.base import FieldError, mm
from drycell.learn.gym import CrossEntropy, Hanger, Roaming, SurfaceTreatment, play
from drycell.learn.gym.surface import FILM, STANDOFF
from drycell.learn.world import Variation
from drycell.sensors import Noise

NAMES = sorted(worlds.ENVIRONMENTS)


def trajectory(name: str, seed: int, steps: int = 40) -> list[bytes]:
    env = gymnasium.make(name)
    observed, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    found = [observed.tobytes()]
    for _ in range(steps):
        observed, reward, ended, cut, _ = env.step(env.action_space.sample())
        found.append(observed.tobytes() + repr(float(reward)).encode())
        if ended or cut:
            observed, _ = env.reset()
            found.append(observed.tobytes())
    return found


@pytest.mark.parametrize("name", NAMES)
def test_gymnasiums_checker_passes(name: str) -> None:
    check_env(gymnasium.make(name).unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_gives_the_same_trajectory_and_another_another(name: str) -> None:
    assert trajectory(name, 3) == trajectory(name, 3) != trajectory(name, 4)


@pytest.mark.parametrize("name", NAMES)
def test_many_run_side_by_side_as_each_does_alone(name: str) -> None:
    many = gymnasium.make_vec(name, num_envs=3, vectorization_mode="sync")
    seen, _ = many.reset(seed=[5, 6, 7])
    alone = [gymnasium.make(name) for _ in range(3)]
    for number, env in enumerate(alone):
        assert (env.reset(seed=5 + number)[0] == seen[number]).all()
    many.action_space.seed(0)
    actions = many.action_space.sample()
    seen, rewards, *_ = many.step(actions)
    for number, env in enumerate(alone):
        observed, reward, *_ = env.step(actions[number])
        assert (observed == seen[number]).all()
        assert reward == pytest.approx(float(rewards[number]))
    many.close()


def test_a_wall_ends_an_episode_and_the_last_step_cuts_one_off() -> None:
    env = Roaming(figure=40, most_steps=60)
    env.reset(seed=1)
    ended = cut = False
    while not (ended or cut):
        _, reward, ended, cut, _ = env.step(np.int64(0))  # straight on
    assert (ended, cut, reward) == (True, False, -10.0)
    env.reset(seed=1)
    for _ in range(60):
        _, _, ended, cut, _ = env.step(np.int64(1))  # turns on the spot
    assert (ended, cut) == (False, True)


def test_with_a_variation_every_episode_has_a_robot_of_its_own() -> None:
    env = Roaming(figure=40, variation=Variation(noise=Noise(sigma=0.01), gains=0.05, slip=0.02))
    gains = set()
    for seed in (1, 2, 1):
        env.reset(seed=seed)
        assert env.mobile is not None
        gains.add(env.mobile.sensors["sonar1"].model.noise.gain)
    assert len(gains) == 2


def test_a_step_before_a_reset_is_refused() -> None:
    for env in (Roaming(), SurfaceTreatment()):
        with pytest.raises(FieldError, match="before the first reset"):
            env.step(env.action_space.sample())


def test_one_even_pass_at_the_standoff_covers_a_flat_part_and_uses_what_it_should() -> None:
    """By hand: 1.25 films at the standoff, over the whole row of 1.1 m for a part of 0.7 m."""
    env = SurfaceTreatment(Hanger(parts=1, shift=0.0, stretch=0.0, drop=0.0, tilt=0.0, bow=0.0), sigma=0.0)
    env.reset(seed=0)
    env.z = STANDOFF
    done = False
    while not done:
        observed, _, done, _, _ = env.step(np.array([0.0, 1.0], dtype=np.float32))
    inner = env.film[12:-12]
    assert inner == pytest.approx(np.full(len(inner), 1.25), abs=0.1)
    assert env.treatment.covered == 1.0
    assert env.treatment.used / env.treatment.needed == pytest.approx(1.25 * env.x / 0.7)
    assert observed[2] == 0.0  # past the part there is nothing below


def test_twice_as_far_gives_half_the_film_and_covers_nothing() -> None:
    env = SurfaceTreatment(Hanger(parts=1, shift=0.0, stretch=0.0, drop=0.0, tilt=0.0, bow=0.0), sigma=0.0)
    env.reset(seed=0)
    env.z = 2 * STANDOFF
    done = False
    while not done:
        *_, done, _, _ = env.step(np.array([0.0, 1.0], dtype=np.float32))
    assert env.film.max() < FILM
    assert env.film[30:-30] == pytest.approx(np.full(len(env.film) - 60, 0.625), abs=0.06)
    assert env.treatment.covered == 0.0


@pytest.mark.parametrize("high", [80 * mm, 120 * mm, 160 * mm])
def test_no_more_coating_falls_on_a_part_than_was_used_however_near_the_gun_is(high: float) -> None:
    env = SurfaceTreatment(Hanger(parts=1, shift=0.0, stretch=0.0, drop=0.0, tilt=0.0, bow=0.0), sigma=0.0)
    env.reset(seed=0)
    env.z = high
    done = False
    while not done:
        over = 0.2 < env.x < 0.9  # where the part is
        *_, done, _, _ = env.step(np.array([0.0, 1.0 if over else -1.0], dtype=np.float32))
    fallen = env.film.mean() * env.treatment.needed
    assert 0.9 * env.treatment.used < fallen <= 1.02 * env.treatment.used  # strips are counted whole


def test_the_arm_reaches_every_place_of_a_pass() -> None:
    env = SurfaceTreatment()
    env.reset(seed=2)
    done = False
    while not done:
        *_, done, _, _ = env.step(np.array([0.0, 1.0], dtype=np.float32))
    joints = env.joints()
    assert len(joints) == len(env.track)
    steps = [abs(a - b) for one, two in pairwise(joints) for a, b in zip(one, two, strict=True)]
    assert max(steps) < 0.3


def test_rows_that_cannot_hang_are_refused() -> None:
    with pytest.raises(FieldError, match="0 parts"):
        Hanger(parts=0)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_standard_learner_gets_better_at_roaming_in_seconds(seed: int) -> None:
    def make() -> Roaming:
        return Roaming(figure=40, most_steps=60)

    learner = CrossEntropy(make, seed, population=16, elite=4, episodes=2)
    begun, unseen = learner.policy, range(500, 510)
    list(learner.learn(6))
    assert play(make(), learner.policy, unseen) > play(make(), begun, unseen) + 10.0


def test_the_learner_is_reproducible_bit_for_bit() -> None:
    found = []
    for _ in range(2):
        learner = CrossEntropy(SurfaceTreatment, 2, population=4, elite=2, episodes=1)
        list(learner.learn(2))
        found.append(learner.policy.weights)
    assert (found[0] == found[1]).all()


def test_a_population_without_an_elite_is_refused() -> None:
    with pytest.raises(FieldError, match="8 of 4 policies"):
        CrossEntropy(SurfaceTreatment, 0, population=4)


@pytest.mark.parametrize("name", ["NomadRooms-v0", "NomadCorridors-v0", "Frank2Rooms-v0", "SurfaceTreatment-v0"])
def test_environments_draw_themselves(name: str) -> None:
    env = gymnasium.make(f"drycell/{name}", render_mode="rgb_array", disable_env_checker=True)
    env.reset(seed=3)
    first = env.render()
    assert first.dtype == np.uint8
    assert first.ndim == 3
    assert first.shape[1:] == (480, 3)
    robot = (first == (0, 114, 178)).all(axis=2)
    assert robot.any()
    env.step(env.action_space.sample() if name.startswith("Surface") else np.int64(0))
    second = env.render()
    assert (first != second).any()  # it has moved
    before, after = (np.argwhere((each == (0, 114, 178)).all(axis=2)).mean(axis=0) for each in (first, second))
    assert np.hypot(*(before - after)) > 1.0
    env.close()


def test_an_unknown_render_mode_is_refused() -> None:
    with pytest.raises(FieldError, match="no render mode 'human'"):
        Roaming(render_mode="human")
