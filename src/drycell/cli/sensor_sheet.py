"""The data sheet of a sensor: its parameters as text, grouped by where it looks, what it detects, its output and its
timing."""

from collections.abc import Iterator

from drycell.base import Amount, deg, mm, ms
from drycell.geometry import Box, Capsule, Cylinder, MeshFile, Prism, Sphere
from drycell.sensors import Beam, Output, SensorModel, Volume, reach

Entry = tuple[str, str]  # name and value


def parameters(model: SensorModel) -> list[Entry]:
    """Return all parameters of a sensor that differ from their defaults."""
    return [*_what(model), *_where(model), *_detected(model), *_published(model), *_when(model)]


def range_text(model: SensorModel) -> str:
    """Return the range in which it detects or measures."""
    if model.type == "force":
        limits = model.output.from_
        return (
            "any" if limits is None else f"{limits[0]:g} – {limits[1]:g} {'Nm' if model.dimension == 'torque' else 'N'}"
        )
    return f"{_number(model.nearest / mm)} – {_length(reach(model))}"


def principle(model: SensorModel) -> str:
    """Return its principle of detection: light, sound, metal …, an interrupted beam, touch or force."""
    if model.type in ("contact", "force"):
        return "touch" if model.type == "contact" else model.measures
    return model.senses if model.beam == "diffuse" else f"{model.senses}, {model.beam}"


def period_text(model: SensorModel) -> str:
    """Return its sampling period."""
    return f"{_number(model.every / ms)} ms"


def _what(model: SensorModel) -> Iterator[Entry]:
    yield "type", model.type
    yield "senses", principle(model)


def _where(model: SensorModel) -> Iterator[Entry]:
    for volume in model.volumes:
        yield "volume", _volume(volume)
    lines, reaches = model.trace_lines, model.probe.reaches
    if lines is not None:
        near, far = _length(min(reaches)), _length(max(reaches))
        how = f", {_angle(lines.spread)} off the axis" if lines.spread else ""
        if lines.row is not None:
            how = f", side by side over {_length(lines.row.width)}"
        yield "trace-lines", f"{len(reaches)}{how}, reaching {far if near == far else f'{near} to {far}'}"
    if model.directivity is not None:
        piston = model.directivity.piston
        yield (
            "directivity",
            f"table of {len(model.directivity.table)} angles"
            if piston is None
            else f"piston of {_length(piston.radius)} radius at {piston.frequency:g} Hz",
        )
    if model.nearest:
        then = "reads as if it were there" if model.blind == "clip" else "is not detected"
        yield "nearest", f"{_length(model.nearest)}; what is nearer {then}"


def _detected(model: SensorModel) -> Iterator[Entry]:
    if model.reflects_below is not None:
        band = "" if model.distorts_to is None else f", distorted up to {_angle(model.distorts_to)}"
        yield "reflects below", f"{_angle(model.reflects_below)} of incidence{band}"
    if model.wavelength is not None:
        yield "wavelength", _length(model.wavelength)
    if model.senses == "light" and model.beam == "diffuse":
        yield "light", f"{model.light}; the reach holds for {model.reference:.0%} of it reflected"
    if model.factors:
        yield "factors", ", ".join(f"{name} {factor:g}" for name, factor in model.factors.items())
    if model.beam != "diffuse":
        yield "on while", "the beam is interrupted" if model.dark_on else "light is received"
    if model.occlusion == "each":
        yield "occlusion", "none: an oblique surface does not hide what is behind it"
    if model.hysteresis:
        yield "hysteresis", _amount(model.hysteresis)
    if model.type == "force":
        yield "stiffness", f"{model.stiffness * mm:g} N/mm where bodies overlap"
        yield "weighs", "also what is attached to it" if model.weighs else "nothing: it is tared"


def _published(model: SensorModel) -> Iterator[Entry]:
    output = model.output
    unit = f" {model.unit}" if model.unit else ""
    yield "output", f"{model.kind}{_transfer(output, unit)}"
    if model.type == "range" and output.default is not None:
        yield "default", f"{output.default:g}{unit} when nothing is detected"
    noise = model.noise
    spread = {"sigma": noise.sigma, "uniform within ±": noise.uniform, "offset": noise.offset}
    parts = [f"{name} {_amount(value)}" for name, value in spread.items() if value]
    parts += [f"{noise.share:.2%} of the value"] if noise.share else []
    parts += [f"gain {noise.gain:g}"] if noise.gain != 1.0 else []
    if parts:
        yield "noise", ", ".join(parts)
    if model.quantum:
        yield "steps of", _amount(model.quantum)


def _when(model: SensorModel) -> Iterator[Entry]:
    later = f", published {_number(model.delay / ms)} ms later" if model.delay else ""
    first = f", first at {_number(model.phase / ms)} ms" if model.phase else ""
    yield "every", f"{period_text(model)}{first}{later}"


def _transfer(output: Output, unit: str) -> str:
    if output.law is not None:
        return f"{unit or ' number'} by the law {output.law}"
    if output.table:
        return f"{unit or ' number'} by a table of {len(output.table)} rows"
    if output.from_ is not None and output.to is not None:
        low, high = (_amount(each) for each in output.from_)
        return f", {output.to[0]:g} to {output.to[1]:g}{unit} for {low} to {high}"
    if output.on is not None or output.off is not None:
        off = output.off if output.off is not None else output.default
        return f", {0 if off is None else off:g}{unit} off and {1 if output.on is None else output.on:g}{unit} on"
    limits = [f"{name} {_amount(value)}" for name in ("below", "above") if (value := getattr(output, name)) is not None]
    return f", on {' and '.join(limits)}" if limits else unit


def _volume(volume: Volume) -> str:
    moved = "" if not any((*volume.at, *volume.rpy)) else ", moved"
    match volume.shape:
        case Beam(length, half_angle):
            return f"beam, {_length(length)} long, half-angle {_angle(half_angle)}{moved}"
        case Cylinder(radius, length) | Capsule(radius, length):
            return f"{volume.shape.meta.kind}, {_length(length)} long, radius {_length(radius)}{moved}"
        case Box(x, y, z):
            return f"box, {' × '.join(_number(side / mm) for side in (x, y, z))} mm{moved}"
        case Sphere(radius):
            return f"sphere, radius {_length(radius)}{moved}"
        case Prism(outline, length):
            return f"prism of {len(outline)} corners, {_length(length)} long{moved}"
        case MeshFile(file):
            return f"mesh {file}{moved}"
    return f"{volume.shape.meta.kind}{moved}"


def _amount(value: float) -> str:
    dimension = value.dimension if isinstance(value, Amount) else None
    if dimension == "ratio":
        return f"{_number(value * 100)} %"
    return (
        f"{_number(value)} {'N' if dimension == 'force' else 'Nm'}"
        if dimension in ("force", "torque")
        else _length(value)
    )


def _length(metres: float) -> str:
    return f"{_number(metres / mm)} mm"


def _angle(radians: float) -> str:
    return f"{_number(radians / deg, 1)} deg"


def _number(value: float, digits: int = 2) -> str:
    """Return a number without trailing zeros."""
    return f"{value:.{digits}f}".rstrip("0").rstrip(".")
