import { createHash } from "node:crypto";

/** A hash of a request body, to recognize a repeated request. The order of keys does not matter. */
export function requestHash(body: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(body)))
    .digest("base64url");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value)
    .filter(([, entry]) => entry !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { object: entries.map(([key, entry]) => [key, sorted(entry)]) };
}
