import type { PubSub } from "../pub-sub/pub-sub.ts";

let lastTimestamp = 0;

/** The next logical timestamp of this process. Comparing two of them says which event came first. */
export function nextTimestamp(): number {
  return ++lastTimestamp;
}

/** One reader's subscription to a topic, from its creation until it is closed. */
export class Subscription {
  /** Timestamp of the newest notification, or of the subscription. A read that began later misses nothing. */
  notifiedAt = nextTimestamp();
  readonly #unsubscribe: () => void;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(pubSub: PubSub, topic: string) {
    this.#unsubscribe = pubSub.subscribe(topic, () => this.notify());
  }

  notify(): void {
    this.notifiedAt = nextTimestamp();
    this.#wake?.();
  }

  /** Resolves at the first notification after `timestamp`, which may be in the past, or when this is closed. */
  async notifiedAfter(timestamp: number): Promise<void> {
    if (this.notifiedAt > timestamp || this.#closed) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unsubscribe();
    this.#wake?.();
  }
}
