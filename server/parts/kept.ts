import type { JsonObject } from "#contract/json.ts";

/** The named fields of the part, without those that are null or absent. */
export function kept(part: object, ...fields: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(part as JsonObject).filter(([name, value]) => fields.includes(name) && value !== null),
  );
}
