/** 4 at once: quick enough for a hundred, and a server still has room for everybody else. */
const atOnce = 4;

/** What became of a deed over many things. */
export type Outcome<Item> = { done: Item[]; failed: { item: Item; error: unknown }[] };

/** Does `deed` to each of `items`, a few at a time, in their order; one that fails keeps none of the others back. */
export async function inTurns<Item>(
  items: readonly Item[],
  deed: (item: Item) => Promise<unknown>,
): Promise<Outcome<Item>> {
  const waiting = items.entries();
  const errors = new Map<number, unknown>();
  async function work(): Promise<void> {
    for (const [number, item] of waiting) {
      try {
        await deed(item);
      } catch (error) {
        errors.set(number, error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return {
    done: items.filter((_, number) => !errors.has(number)),
    failed: items.flatMap((item, number) =>
      errors.has(number) ? [{ item, error: errors.get(number) }] : [],
    ),
  };
}
