import { isJsonObject, type JsonObject } from "#contract/json.ts";

/**
 * The event that the SDK did not read, by its error part; empty if the event is no JSON object, and `undefined` if there was
 * none: the stream ended without a finish reason. Throws the error if it is another one, or if the provider sent it: then the
 * answer fails.
 */
export function readRefusedEvent(error: unknown): JsonObject | undefined {
  if (!(error instanceof Error)) throw error;
  const { name, value, data } = error as Error & { value?: unknown; data?: unknown };
  if (name === "AI_JSONParseError") return {};
  if (name === "AI_InvalidResponseDataError" && data === undefined) return undefined;
  if (name !== "AI_TypeValidationError") throw error;
  if (!isJsonObject(value)) return {};
  if (isErrorEvent(value)) throw error;
  return value;
}

/** The forms that errors in the middle of an answer have in the APIs. */
export function isErrorEvent({ error, type, object }: JsonObject): boolean {
  if (error !== undefined && error !== null) return true;
  return type === "error" || type === "response.failed" || object === "error";
}
