import type { PubSub } from "../pub-sub/pub-sub.ts";

let latestMoment = 0;

/** The next of this process's moments. Moments say which of two things that happened here came first. */
export function nextMoment(): number {
  return ++latestMoment;
}

/** One reader's ear on a topic: it hears from the moment it is made until it is closed. */
export class Ear {
  /** When it last heard something, or was made. What was read since then misses nothing. */
  heardAt = nextMoment();
  readonly #stop: () => void;
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(pubSub: PubSub, topic: string) {
    this.#stop = pubSub.subscribe(topic, () => this.hear());
  }

  hear(): void {
    this.heardAt = nextMoment();
    this.#wake?.();
  }

  /** Resolves when something was heard after `moment`, at once if it already was, or when this is closed. */
  async heardAfter(moment: number): Promise<void> {
    if (this.heardAt > moment || this.#closed) return;
    await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#stop();
    this.#wake?.();
  }
}
