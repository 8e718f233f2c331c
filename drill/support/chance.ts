/** Chance that can be repeated: the same seed gives the same sequence. */
export type Chance = {
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number;
  /** True in `share` of all cases. */
  is(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** A sequence of its own, so that what one person does moves nobody else's. */
  fork(): Chance;
};

/** Mulberry32: 32 bits of state, which is plenty for moments and lengths. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    between,
    is: (share) => next() < share,
    pick: (list) => list[between(0, list.length - 1)]!,
    fork: () => createChance(between(0, 2 ** 32 - 1)),
  };
}
