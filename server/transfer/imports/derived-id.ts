import { createHash } from "node:crypto";
import { idPrefixes, isId, newId } from "#contract/ids.ts";

/** Bytes of the hash that are used: 14 characters of 5 bits, as in every id. */
const chanceLength = 14;
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * An id of ours for something that had another one where it came from: the same for the same `from` in the same `scope`,
 * so that what is brought in twice is known the second time, and another in every other scope. It tells nothing of either.
 */
export function derivedId(
  noun: "thread" | "message" | "file",
  from: string,
  scope: string,
  bornAtMs: number,
): string {
  const prefix = idPrefixes[noun];
  // One of ours keeps its time, so that ids go on sorting by it.
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
