"""``drycell learn`` as a user sees it: output, files and errors."""

from pathlib import Path


def test_a_training_reports_and_draws_its_results(drycell, tmp_path: Path) -> None:
    said = drycell("learn", "frank2", "--objective", 1, "--seed", 3, "--out", tmp_path)
    assert (said.code, said.err) == (0, "")
    assert "Frank2, control objective I (figure 47), seed 3" in said.out
    assert "reached 0.10 ten times in a row" in said.out
    assert said.out.count("    ok   unseen") == 4
    assert "before training:" in said.out
    assert "    FAIL unseen" in said.out
    stem = tmp_path / "learn-frank2-1-47-seed3"
    for end in ("-curve.svg", "-paths.svg"):
        assert Path(f"{stem}{end}").read_text().startswith("<?xml")
    weights = Path(f"{stem}.weights.txt")
    assert len(weights.read_text().splitlines()) == 8

    tried = drycell("learn", "frank2", "--objective", 1, "--weights", weights)
    assert tried.code == 0
    assert tried.out.count("    ok   unseen") == 4


def test_weights_that_do_not_generalise_end_with_2(drycell, tmp_path: Path) -> None:
    file = tmp_path / "weights.txt"
    file.write_text("0 0 1\n" * 5)
    said = drycell("learn", "nomad", "--weights", file)
    assert said.code == 2
    assert "FAIL unseen room" in said.out


def test_a_table_of_one_architecture(drycell) -> None:
    said = drycell("learn", "--table", "--architecture", 47, "--seeds", 1)
    assert said.code == 0
    assert "1 of 1 generalise; before training 0 of 1" in said.out
    assert "misprint" in said.out


def test_a_table_of_one_robots_corridors(drycell) -> None:
    said = drycell("learn", "frank2", "--objective", 2, "--table", "--seeds", 1)
    assert said.code == 0
    assert [line[:6] for line in said.out.splitlines() if "(figure" in line] == ["Frank2"] * 2


def test_a_folder_that_cannot_be_written_to_is_reported_before_the_training(drycell, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    said = drycell("learn", "nomad", "--out", tmp_path / "taken")
    assert (said.code, said.out) == (1, "")
    assert f"cannot write to the folder {tmp_path / 'taken'}" in said.err


def test_impossible_learning_tasks_are_reported(drycell) -> None:
    for words, text in (
        (("mine.yaml", "--objective", 2), "defines the objective and the architecture itself"),
        (("nowhere.yaml",), "nowhere.yaml"),
        (("nomad", "--film", "--weights", "mine.txt"), "--film shows a single training run"),
        (("--film", "--table"), "--film shows a single training run"),
        (("--weights", "mine.txt", "--table"), "--table trains networks itself"),
        ((), "no robot is given"),
        (("nomad", "--objective", 3), "no architecture"),
        (("shakey",), "no architecture"),
        (("--table", "--seeds", 0), "1 to 1000"),
    ):
        said = drycell("learn", *words)
        assert said.code == 1
        assert text in said.err
