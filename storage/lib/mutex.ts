type Waiters = (() => void)[];

/** A lock that one caller holds at a time. Waiting callers get it in the order of their calls. */
export class Mutex {
  #locked = false;
  readonly #first: Waiters = [];
  readonly #others: Waiters = [];

  /** Locks. Undefined if it was free, else resolves when the lock is this caller's. Call `release` once afterwards. */
  acquire(): Promise<void> | undefined {
    return this.#acquire(this.#others);
  }

  release(): void {
    const next = this.#first.shift() ?? this.#others.shift();
    if (next === undefined) this.#locked = false;
    else next();
  }

  /** Runs `work` while holding the lock. An error of `work` rejects this call only. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    return await this.#run(this.#others, work);
  }

  /** Like `run`, but ahead of all callers that wait in `run` or `acquire`. */
  async runFirst<T>(work: () => Promise<T>): Promise<T> {
    return await this.#run(this.#first, work);
  }

  #acquire(waiters: Waiters): Promise<void> | undefined {
    if (this.#locked) return new Promise((resolve) => waiters.push(resolve));
    this.#locked = true;
    return undefined;
  }

  async #run<T>(waiters: Waiters, work: () => Promise<T>): Promise<T> {
    const waiting = this.#acquire(waiters);
    if (waiting !== undefined) await waiting;
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}
