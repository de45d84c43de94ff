"""The controllers that come with drycell, by the name a cell file calls them."""

from collections.abc import Callable
from typing import Final

from drycell.robots.controller import Controller
from drycell.robots.independent_controller import IndependentController
from drycell.robots.standard_controller import StandardController
from drycell.robots.stepping_controller import SteppingController

CONTROLLERS: Final[dict[str, Callable[[], Controller]]] = {
    StandardController.name: StandardController,
    IndependentController.name: IndependentController,
    SteppingController.name: SteppingController,
}
