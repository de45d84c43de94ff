"""Sensors: one generic model (a quantity of the world and a response), how it is evaluated, and what is built of it.

May use kernel, geometry, world, robots, cell and pictures.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.sensors.catalogue import (
        LIBRARY as LIBRARY,
        load_sensor as load_sensor,
        sensor_from_file as sensor_from_file,
        sensor_names as sensor_names,
    )
    from drycell.sensors.directivity import Directivity as Directivity, Piston as Piston
    from drycell.sensors.fault import Fault as Fault, SampledFault as SampledFault, TimedFault as TimedFault
    from drycell.sensors.faults import (
        Disturbance as Disturbance,
        Drift as Drift,
        Dropout as Dropout,
        Late as Late,
        Spike as Spike,
        Stuck as Stuck,
        StuckOff as StuckOff,
        StuckOn as StuckOn,
        Swapped as Swapped,
    )
    from drycell.sensors.laws import Law as Law, law_names as law_names, register_law as register_law
    from drycell.sensors.line_of_sight import hides as hides, visibility as visibility
    from drycell.sensors.looking import look as look
    from drycell.sensors.model import SensorModel as SensorModel
    from drycell.sensors.noise import Noise as Noise, deviates as deviates
    from drycell.sensors.output import Output as Output, Value as Value
    from drycell.sensors.portrait import save_portrait as save_portrait
    from drycell.sensors.reading import LineReading as LineReading, Reading as Reading
    from drycell.sensors.response import (
        Answer as Answer,
        disturbed as disturbed,
        respond as respond,
        sampled as sampled,
    )
    from drycell.sensors.sensor import (
        LiveSensor as LiveSensor,
        Sensor as Sensor,
        resting_value as resting_value,
        sensors_of as sensors_of,
    )
    from drycell.sensors.sheet import (
        parameters as parameters,
        period_text as period_text,
        principle as principle,
        range_text as range_text,
    )
    from drycell.sensors.survey import (
        Survey as Survey,
        over_angle as over_angle,
        over_distance as over_distance,
        over_force as over_force,
    )
    from drycell.sensors.trace_lines import Row as Row, TraceLines as TraceLines
    from drycell.sensors.volume import Beam as Beam, Volume as Volume
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
