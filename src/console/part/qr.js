// QR codes (ISO/IEC 18004): bytes, correction level M, versions 1 to 10.
import { html } from "../lib.js";

/** By version: codewords in all, correction codewords of a block, blocks. */
const VERSIONS = [
  [26, 10, 1],
  [44, 16, 1],
  [70, 26, 1],
  [100, 18, 2],
  [134, 24, 2],
  [172, 16, 4],
  [196, 18, 4],
  [242, 22, 4],
  [292, 22, 5],
  [346, 26, 5],
];
const ALIGNMENT = [[], [6, 18], [6, 22], [6, 26], [6, 30], [6, 34], [6, 22, 38], [6, 24, 42], [6, 26, 46], [6, 28, 50]];

/** A product in the field of 256 elements. */
function product(one, other) {
  let sum = 0;
  for (let bit = 7; bit >= 0; bit -= 1) {
    sum = (sum << 1) ^ ((sum >>> 7) * 0x11d);
    sum ^= ((other >>> bit) & 1) * one;
  }
  return sum & 255;
}

function generator(degree) {
  const found = new Uint8Array(degree);
  found[degree - 1] = 1;
  let root = 1;
  for (let step = 0; step < degree; step += 1) {
    for (let at = 0; at < degree; at += 1) found[at] = product(found[at], root) ^ (found[at + 1] ?? 0);
    root = product(root, 2);
  }
  return found;
}

function correction(data, divisor) {
  const rest = new Uint8Array(divisor.length);
  for (const byte of data) {
    const factor = byte ^ rest[0];
    rest.copyWithin(0, 1);
    rest[rest.length - 1] = 0;
    divisor.forEach((one, at) => {
      rest[at] ^= product(one, factor);
    });
  }
  return rest;
}

function codewords(bytes, version) {
  const [total, extra, blocks] = VERSIONS[version - 1];
  const room = total - extra * blocks;
  const bits = [];
  const put = (number, length) => {
    for (let bit = length - 1; bit >= 0; bit -= 1) bits.push((number >>> bit) & 1);
  };
  put(4, 4);
  put(bytes.length, version < 10 ? 8 : 16);
  bytes.forEach((byte) => put(byte, 8));
  put(0, Math.min(4, room * 8 - bits.length));
  while (bits.length % 8) bits.push(0);
  const data = [];
  for (let at = 0; at < bits.length; at += 8) data.push(parseInt(bits.slice(at, at + 8).join(""), 2));
  for (let pad = 0xec; data.length < room; pad ^= 0xec ^ 0x11) data.push(pad);
  const short = Math.floor(room / blocks);
  const longer = room % blocks;
  const divisor = generator(extra);
  const parts = [];
  let from = 0;
  for (let block = 0; block < blocks; block += 1) {
    const size = short + (block >= blocks - longer ? 1 : 0);
    const part = data.slice(from, from + size);
    parts.push({ part, check: correction(part, divisor) });
    from += size;
  }
  const out = [];
  for (let at = 0; at <= short; at += 1) for (const { part } of parts) if (at < part.length) out.push(part[at]);
  for (let at = 0; at < extra; at += 1) for (const { check } of parts) out.push(check[at]);
  return out;
}

const MASKS = [
  (x, y) => (x + y) % 2,
  (x, y) => y % 2,
  (x) => x % 3,
  (x, y) => (x + y) % 3,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2,
  (x, y) => ((x * y) % 2) + ((x * y) % 3),
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2,
];

/** The modules of a code, row by row: true is dark. */
export function qrModules(text) {
  const bytes = new TextEncoder().encode(text);
  const version =
    VERSIONS.findIndex(([total, extra, blocks], at) => bytes.length + (at < 9 ? 2 : 3) <= total - extra * blocks) + 1;
  if (!version) throw new RangeError("The text is too long for a QR code");
  const size = version * 4 + 17;
  const dark = Array.from({ length: size }, () => new Array(size).fill(false));
  const fixed = Array.from({ length: size }, () => new Array(size).fill(false));
  const set = (x, y, is) => {
    if (x >= 0 && y >= 0 && x < size && y < size) {
      dark[y][x] = Boolean(is);
      fixed[y][x] = true;
    }
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0);
    set(at, 6, at % 2 === 0);
  }
  for (const [cx, cy] of [
    [3, 3],
    [size - 4, 3],
    [3, size - 4],
  ]) {
    for (let dy = -4; dy <= 4; dy += 1)
      for (let dx = -4; dx <= 4; dx += 1) {
        const ring = Math.max(Math.abs(dx), Math.abs(dy));
        set(cx + dx, cy + dy, ring !== 2 && ring !== 4);
      }
  }
  const places = ALIGNMENT[version - 1];
  const last = places.length - 1;
  places.forEach((x, i) =>
    places.forEach((y, j) => {
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) return;
      for (let dy = -2; dy <= 2; dy += 1)
        for (let dx = -2; dx <= 2; dx += 1) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
    }),
  );
  const format = (mask) => {
    let rest = mask;
    for (let bit = 0; bit < 10; bit += 1) rest = (rest << 1) ^ ((rest >>> 9) * 0x537);
    const bits = ((mask << 10) | rest) ^ 0x5412;
    const bit = (at) => (bits >>> at) & 1;
    for (let at = 0; at <= 5; at += 1) set(8, at, bit(at));
    set(8, 7, bit(6));
    set(8, 8, bit(7));
    set(7, 8, bit(8));
    for (let at = 9; at < 15; at += 1) set(14 - at, 8, bit(at));
    for (let at = 0; at < 8; at += 1) set(size - 1 - at, 8, bit(at));
    for (let at = 8; at < 15; at += 1) set(8, size - 15 + at, bit(at));
    set(8, size - 8, true);
  };
  format(0);
  if (version >= 7) {
    let rest = version;
    for (let bit = 0; bit < 12; bit += 1) rest = (rest << 1) ^ ((rest >>> 11) * 0x1f25);
    const bits = (version << 12) | rest;
    for (let at = 0; at < 18; at += 1) {
      const far = size - 11 + (at % 3);
      const near = Math.floor(at / 3);
      set(far, near, (bits >>> at) & 1);
      set(near, far, (bits >>> at) & 1);
    }
  }
  const data = codewords([...bytes], version);
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (let side = 0; side < 2; side += 1) {
        const x = right - side;
        const y = ((right + 1) & 2) === 0 ? size - 1 - step : step;
        if (!fixed[y][x] && at < data.length * 8) {
          dark[y][x] = ((data[at >>> 3] >>> (7 - (at & 7))) & 1) === 1;
          at += 1;
        }
      }
    }
  }
  const masked = MASKS.map((mask, index) => {
    const rows = dark.map((row, y) => row.map((is, x) => is !== (!fixed[y][x] && mask(x, y) === 0)));
    return { index, rows, fault: penalty(rows) };
  });
  const { index } = masked.reduce((one, other) => (other.fault < one.fault ? other : one));
  format(index);
  return dark.map((row, y) => row.map((is, x) => is !== (!fixed[y][x] && MASKS[index](x, y) === 0)));
}

/** How badly a code reads: long runs, and far from half dark. */
function penalty(rows) {
  let fault = 0;
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  for (const line of [...rows, ...columns]) {
    let run = 0;
    line.forEach((is, at) => {
      run = at && is === line[at - 1] ? run + 1 : 1;
      if (run === 5) fault += 3;
      else if (run > 5) fault += 1;
    });
  }
  const all = rows.flat();
  return fault + Math.floor(Math.abs((all.filter(Boolean).length / all.length) * 20 - 10)) * 10;
}

export function Qr({ text, label }) {
  const rows = qrModules(text);
  const path = rows.flatMap((row, y) => row.map((is, x) => (is ? `M${x + 4} ${y + 4}h1v1h-1z` : ""))).join("");
  const size = rows.length + 8;
  return html`
    <svg class="qr" viewBox=${`0 0 ${size} ${size}`} role="img" aria-label=${label} shape-rendering="crispEdges">
      <rect width=${size} height=${size} fill="#fff" />
      <path d=${path} fill="#000" />
    </svg>
  `;
}
