import type { JsonObject } from "#contract/json.ts";

/** The named fields of the part that are present and not null. */
export function pickFields(part: object, ...fields: string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(part as JsonObject).filter(([name, value]) => fields.includes(name) && value !== null),
  );
}
