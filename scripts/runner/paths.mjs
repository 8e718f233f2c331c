import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of the clone, with no slash at its end. */
export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** @param {...string} names */
export function inRoot(...names) {
  return join(root, ...names);
}
