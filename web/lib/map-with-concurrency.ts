/** 4: fast enough for a hundred items, and few enough for the server. */
const maxConcurrent = 4;

export type Outcome<Item> = { done: Item[]; failed: { item: Item; error: unknown }[] };

/** Calls `run` for each item, in order, at most four at a time. A failure does not stop the others. */
export async function mapWithConcurrency<Item>(
  items: readonly Item[],
  run: (item: Item) => Promise<unknown>,
): Promise<Outcome<Item>> {
  const remaining = items.entries();
  const errors = new Map<number, unknown>();
  async function work(): Promise<void> {
    for (const [index, item] of remaining) {
      try {
        await run(item);
      } catch (error) {
        errors.set(index, error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxConcurrent, items.length) }, work));
  return {
    done: items.filter((_, index) => !errors.has(index)),
    failed: items.flatMap((item, index) => (errors.has(index) ? [{ item, error: errors.get(index) }] : [])),
  };
}
