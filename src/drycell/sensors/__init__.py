"""Sensors: one generic model (a measured quantity and a response), its evaluation, the library, and faults.

The package may use kernel, geometry, world, robots, cell and pictures.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.sensors.catalogue import (
        LIBRARY as LIBRARY,
        load_sensor as load_sensor,
        sensor_from_file as sensor_from_file,
        sensor_names as sensor_names,
    )
    from drycell.sensors.evaluation import hides as hides, look as look, visibility as visibility
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
    from drycell.sensors.faults.kinds import Fault as Fault, SampledFault as SampledFault, TimedFault as TimedFault
    from drycell.sensors.field_of_view import (
        Beam as Beam,
        Directivity as Directivity,
        Piston as Piston,
        Row as Row,
        TraceLines as TraceLines,
        Volume as Volume,
    )
    from drycell.sensors.model import SensorModel as SensorModel
    from drycell.sensors.output import (
        Law as Law,
        Noise as Noise,
        Output as Output,
        Value as Value,
        deviates as deviates,
        disturbed as disturbed,
        law_names as law_names,
        register_law as register_law,
        respond as respond,
        sampled as sampled,
    )
    from drycell.sensors.reading import Reading as Reading
    from drycell.sensors.response_curve import (
        ResponseCurve as ResponseCurve,
        extent as extent,
        over_angle as over_angle,
        over_distance as over_distance,
        over_force as over_force,
        reach as reach,
    )
    from drycell.sensors.sensor import (
        LiveSensor as LiveSensor,
        Sensor as Sensor,
        sensors_of as sensors_of,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
