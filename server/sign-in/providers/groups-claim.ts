import { isJsonObject, type Json } from "#contract/json.ts";

/**
 * The values of the claim `name`: a list of texts, or one text. A name with dots is also that of a claim inside others, such
 * as `realm_access.roles`. No values if there is no such claim; `undefined` if the provider only says where to ask for them,
 * as Microsoft does for people in many groups.
 */
export function groupsIn(claims: Record<string, unknown>, name: string | undefined): string[] | undefined {
  if (name === undefined) return [];
  const found = claims[name] ?? inside(claims as Json, name.split("."));
  const elsewhere = claims["_claim_names"];
  if (found === undefined && isJsonObject(elsewhere) && Object.hasOwn(elsewhere, name)) return undefined;
  const values: unknown[] = Array.isArray(found) ? found : [found];
  return values.filter((value) => typeof value === "string");
}

function inside(claims: Json | undefined, path: readonly string[]): Json | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return claims;
  return isJsonObject(claims) && Object.hasOwn(claims, first) ? inside(claims[first], rest) : undefined;
}
