import { createHash } from "node:crypto";
import { idPrefixes } from "#contract/facts/id-prefixes.ts";
import { isId, newId } from "#contract/ids.ts";

/** 14 characters of 5 bits, as in every id. */
const chanceLength = 14;
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * An id for something that had the id `from` in the other service. It is the same for the same `from` and `scope`, so that a second
 * import recognizes it, and reveals neither.
 */
export function derivedId(
  noun: "thread" | "message" | "file" | "prompt" | "user" | "workspace" | "assistant",
  from: string,
  scope: string,
  bornAtMs: number,
): string {
  const prefix = idPrefixes[noun];
  // Keeps the time of our own ids, by which they sort.
  const time = isId(noun, from)
    ? from.slice(0, -chanceLength)
    : newId(noun, bornAtMs).slice(0, -chanceLength);
  const hash = createHash("sha256")
    .update(JSON.stringify([prefix, scope, from]))
    .digest();
  let chance = "";
  for (const bits of hash.subarray(0, chanceLength)) chance += alphabet[bits & 31];
  return time + chance;
}
