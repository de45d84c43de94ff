"""The programs of the loop: `route` diverts trays to the spur, and `station` works on those that are there."""

from drycell import delay, interval, s, wait


def route(main, spur):
    """Divert three trays to the station, one after the other."""
    divert = main.directors["station"].divert
    for _ in range(3):
        divert.set(True)
        wait(spur.sensors["entered"])
        divert.set(False)
        delay(5 * s)  # something else that must be done
        wait(spur.sensors["left"].rises())


def station(spur):
    """Work on one tray after the other."""
    while True:
        wait(spur.sensors["present"])
        delay(interval("work", 1 * s, 4 * s))
        spur.gates["work"].open.set(True)
        wait(~spur.sensors["present"])
        spur.gates["work"].open.set(False)
