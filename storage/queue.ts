/** One after another, in the order of asking, or before all who wait. A failure is its asker's alone. */
export class Queue {
  readonly #first: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #busy = false;

  async run<T>(work: () => Promise<T>): Promise<T> {
    return await this.#inLine(this.#others, work);
  }

  async runFirst<T>(work: () => Promise<T>): Promise<T> {
    return await this.#inLine(this.#first, work);
  }

  async #inLine<T>(line: (() => void)[], work: () => Promise<T>): Promise<T> {
    if (this.#busy) await new Promise<void>((resolve) => line.push(resolve));
    this.#busy = true;
    try {
      return await work();
    } finally {
      const next = this.#first.shift() ?? this.#others.shift();
      if (next === undefined) this.#busy = false;
      else next();
    }
  }
}
