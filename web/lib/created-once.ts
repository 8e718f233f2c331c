/**
 * Returns a function that creates something for an owner at its first use, and then keeps it: for what only a few screens use
 * but must outlive them. So their scripts load with these screens.
 */
export function createdOnce<Owner extends object, Value>(
  create: (owner: Owner) => Value,
): (owner: Owner) => Value {
  const created = new WeakMap<Owner, { value: Value }>();
  return (owner) => {
    const kept = created.get(owner) ?? { value: create(owner) };
    created.set(owner, kept);
    return kept.value;
  };
}
