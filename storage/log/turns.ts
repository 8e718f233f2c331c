/**
 * One turn that several share, given in the order in which they asked. Followers of many topics for one reader read in
 * turn, so that a reader who takes nothing has one page kept for it, however many topics it follows.
 */
export class Turns {
  #taken = false;
  readonly #waiting: (() => void)[] = [];

  /** `undefined` where the turn was free; else resolves when it has come. Each turn is given back once. */
  take(): Promise<void> | undefined {
    if (this.#taken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#taken = true;
    return undefined;
  }

  giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else next();
  }
}
