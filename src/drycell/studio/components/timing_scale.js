// Formats times and durations in ticks (µs), and computes the tick marks of a time axis.

const SECOND = 1e6, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE;
const STEPS = [];
for (let power = 1; power < SECOND; power *= 10) STEPS.push(power, 2 * power, 5 * power);
STEPS.push(SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE,
  15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 24 * HOUR);

/** A time such as 12.345 s, 3:07.50 or 1:02:03.4, to a resolution in ticks. */
export function clockText(t, resolution = 1000) {
  const sign = t < 0 ? "−" : "";
  t = Math.abs(t);
  const digits = Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.max(resolution, 1) / SECOND) - 1e-9)));
  t = Number((t / SECOND).toFixed(digits)) * SECOND;
  if (t < MINUTE) return `${sign}${(t / SECOND).toFixed(digits)} s`;
  const hours = Math.floor(t / HOUR), minutes = Math.floor((t % HOUR) / MINUTE);
  const seconds = ((t % MINUTE) / SECOND).toFixed(digits).padStart(digits ? digits + 3 : 2, "0");
  return hours ? `${sign}${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${sign}${minutes}:${seconds}`;
}

/** A duration: 340 µs, 12.5 ms, 3.250 s, 4 min 05.2 s. */
export function spanText(span) {
  const size = Math.abs(span), sign = span < 0 ? "−" : "";
  if (size < 1000) return `${sign}${Math.round(size)} µs`;
  if (size < SECOND) return `${sign}${(size / 1000).toFixed(size < 1e4 ? 3 : size < 1e5 ? 2 : 1)} ms`;
  if (size < MINUTE) return `${sign}${(size / SECOND).toFixed(3)} s`;
  if (size < HOUR) return `${sign}${Math.floor(size / MINUTE)} min ${((size % MINUTE) / SECOND).toFixed(1).padStart(4, "0")} s`;
  return `${sign}${Math.floor(size / HOUR)} h ${String(Math.floor((size % HOUR) / MINUTE)).padStart(2, "0")} min`;
}

/** The tick marks of an axis from t0 to t1 with a minimum distance in pixels: step and times. */
export function marks(t0, t1, width, apart = 90) {
  const least = ((t1 - t0) * apart) / Math.max(width, 1);
  const step = STEPS.find((each) => each >= least) ?? Math.ceil(least / (24 * HOUR)) * 24 * HOUR;
  const found = [];
  for (let t = Math.ceil(Math.max(t0, 0) / step) * step; t <= t1; t += step) found.push(t);
  return { step, found };
}

/** A value as a short text. */
export function valueText(value, unit = "") {
  if (value === null || value === undefined) return "–";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string") return value === "" ? "“”" : value;
  if (Math.abs(value) >= 1e308) return value > 0 ? "∞" : "−∞";
  const text = Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6)));
  return (text + (unit ? ` ${unit}` : "")).replace("-", "−");
}
