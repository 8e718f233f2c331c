import type { JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { AppError } from "../lib/errors.ts";

/** A message's content as it is stored in its row. Throws `too-large`. */
export function contentText(content: JsonObject): string {
  const text = JSON.stringify(content);
  if (text.length > limits.messageContentBytes) throw new AppError("too-large");
  return text;
}
