/** The result of `run`, or `undefined` if it throws. */
export function unlessThrown<Value>(run: () => Value): Value | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
