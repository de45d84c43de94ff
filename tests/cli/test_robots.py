"""``drycell robots`` lists and filters the robots of the library, and shows one."""

import pytest

from drycell.cli.main import main


def listed(capsys, *options):
    assert main(["robots", *options]) == 0
    lines = capsys.readouterr().out.splitlines()
    return [line.split()[0] for line in lines[1:-2]], lines


def test_the_list_has_every_robot(capsys):
    from drycell.robots import robot_names

    names, lines = listed(capsys)
    assert names == robot_names()
    assert lines[-1].startswith(f"{len(names)} of {len(names)}")


def test_lists_are_filtered_by_maker_payload_reach_and_axes(capsys):
    names, _ = listed(capsys, "--maker", "universal", "--payload", "5kg..10kg")
    assert names == ["ur10", "ur5", "ur5e"]
    assert listed(capsys, "--maker", "franka", "--axes", "7")[0] == ["franka-fr3", "franka-panda"]
    assert listed(capsys, "--reach", "..510mm", "--payload", "3kg")[0] == ["melfa-rv2fr", "ur3", "ur3e"]
    assert "m900ib700" in listed(capsys, "--payload", "500 kg..")[0]


def test_figures_without_a_source_and_estimates_are_marked(capsys):
    _, lines = listed(capsys, "--maker", "universal")
    row = next(line for line in lines if line.startswith("ur5 "))
    assert "5 kg*~" in row
    assert "of ur5e" in row


def test_one_robot_is_shown_with_its_figures_and_a_picture(capsys, tmp_path):
    assert main(["robots", "kr210-r2700-2", "--picture", str(tmp_path / "arm.svg")]) == 0
    text = capsys.readouterr().out
    assert "reach         2701 mm" in text
    assert "generic: a plain outline" in text
    assert "github.com/" in text
    assert (tmp_path / "arm.svg").read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["ur6e"], "did you mean 'ur16e' or 'ur5e'"),
        (["ur5e", "--axes", "6"], "are for lists"),
        (["--picture", "x.svg"], "--picture needs a robot"),
        (["--payload", ".."], "'..' has no limit"),
        (["--payload", "5mm.."], "mass"),
        (["--payload", "10kg..5kg"], "'10kg..5kg' is empty: 10kg is more than 5kg\n  try: write --payload 5kg..10kg"),
        (["--maker", "Kuko"], "there is no maker 'Kuko'\n  try: did you mean 'KUKA'?"),
    ],
)
def test_wrong_options_are_reported(capsys, options, text):
    assert main(["robots", *options]) == 1
    assert text in capsys.readouterr().err
