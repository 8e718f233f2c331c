import { fromJSONSchema } from "zod";
import type { Json, JsonObject } from "#contract/json.ts";

/** A regular expression or a reference of a stranger could take all the time of this process. */
const costlyKeyword = /"(?:pattern|patternProperties|\$ref|\$dynamicRef)":/;

/**
 * What is wrong with these arguments by the tool's JSON schema. `undefined` if nothing, or if the schema cannot be read
 * or is costly: then only the tool checks them.
 */
export function parametersError(parameters: JsonObject, args: Json): string | undefined {
  if (costlyKeyword.test(JSON.stringify(parameters))) return undefined;
  let schema;
  try {
    schema = fromJSONSchema(parameters);
  } catch {
    return undefined;
  }
  const [issue] = schema.safeParse(args).error?.issues ?? [];
  if (issue === undefined) return undefined;
  return issue.path.length === 0 ? issue.message : `${issue.path.join(".")}: ${issue.message}`;
}
