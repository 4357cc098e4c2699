// How many clients of this browser's tabs poll the server: over HTTP/1.1 a browser opens only so many connections to a host.
import { Store } from "./store.js";

/** The most connections that browsers open to a host and port over HTTP/1.1. */
const CONNECTIONS_MAX = 6;
const COUNT_EVERY_MS = 1_500;
const NAME = "chatdouble poll ";

/** Over HTTP/2, all requests share a connection. */
const isShared = () => /^h[23]/.test(performance.getEntriesByType("navigation")[0]?.nextHopProtocol ?? "");

/** Counts a client that polls, in all tabs of this origin, until it is stopped or the tab is gone. */
export function countPoll(signal) {
  // Pages of other machines have no locks over plain HTTP.
  navigator.locks
    ?.request(
      `${NAME}${crypto.randomUUID()}`,
      { signal },
      () =>
        new Promise((done) => {
          signal.addEventListener("abort", done);
        }),
    )
    .catch(() => {});
}

class Connections extends Store {
  polls = 0;
  #timer = null;

  /** Counts from now on, unless connections are no limit. */
  follow() {
    if (!navigator.locks || isShared() || this.#timer) return;
    this.#timer = setInterval(() => this.#count(), COUNT_EVERY_MS);
  }

  /** Whether the polls leave no connection to other requests, which wait without end. */
  get areExhausted() {
    return this.polls >= CONNECTIONS_MAX;
  }

  async #count() {
    const { held } = await navigator.locks.query();
    const polls = held.filter(({ name }) => name.startsWith(NAME)).length;
    if (polls === this.polls) return;
    this.polls = polls;
    this.changed();
  }
}
export const connections = new Connections();

/** This page's address by another name of the machine, to which the browser opens connections of their own; null if none is known. */
export function otherAddress() {
  const other = { "127.0.0.1": "localhost", localhost: "127.0.0.1" }[location.hostname];
  if (!other) return null;
  const address = new URL(location.href);
  address.hostname = other;
  return address.href;
}
