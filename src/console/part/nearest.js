// The name that is most like one that does not exist.
const LONGEST = 60;

/** How many letters must be added, taken away, changed or swapped with their neighbour. */
function distance(one, other) {
  let before = [];
  let last = [...Array(other.length + 1).keys()];
  for (let at = 1; at <= one.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const changed = last[to - 1] + (one[at - 1] === other[to - 1] ? 0 : 1);
      row[to] = Math.min(changed, last[to] + 1, row[to - 1] + 1);
      if (at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1])
        row[to] = Math.min(row[to], before[to - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[other.length];
}

/** The nearest of some names; none when all are too different, or the name is one of them. */
export function nearest(name, names) {
  const wanted = name.toLowerCase().slice(0, LONGEST);
  let best = null;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const one of names) {
    if (one === name) return null;
    const far = distance(wanted, one.toLowerCase().slice(0, LONGEST));
    if (far < least) [best, least] = [one, far];
  }
  return best;
}
