// Frames: the poses of all bodies and the channels of their looks, one binary message each, requested one by one; reconnects after a lost connection.

const HEAD = 24; // bytes before the poses

/** Receives frames: `take(t, scene, version, poses, channels)` is called for each, `connected(on)` when the connection changes. */
export class Frames {
  constructor(take, connected) {
    Object.assign(this, { take, connected, wait: 250, closed: false });
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const line = (this.line = new WebSocket(`${scheme}://${location.host}${window.path_prefix ?? ""}/drycell/frames`));
    line.binaryType = "arraybuffer";
    line.onopen = () => { this.wait = 250; this.connected(true); };
    line.onmessage = (message) => {
      if (message.data instanceof ArrayBuffer && message.data.byteLength >= HEAD) {
        const head = new DataView(message.data);
        const count = Math.min(head.getUint32(20, true), Math.floor((message.data.byteLength - HEAD) / 28));
        const [scene, version] = [Number(head.getBigUint64(8, true)), head.getUint32(16, true)];
        const poses = new Float32Array(message.data, HEAD, count * 7), after = HEAD + 28 * count;
        this.take(head.getFloat64(0, true), scene, version, poses, new Float32Array(message.data, after, (message.data.byteLength - after) >> 2));
      }
      if (line.readyState === WebSocket.OPEN) line.send("k"); // credit for one more frame: only the newest is sent
    };
    line.onclose = () => {
      if (this.closed) return;
      this.connected(false);
      this.timer = setTimeout(() => this.open(), this.wait);
      this.wait = Math.min(2 * this.wait, 4000);
    };
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.line.close();
  }
}
