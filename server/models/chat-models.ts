import { isJsonObject } from "#contract/json.ts";

/** More models than this are no help to a person who chooses. */
const modelsMax = 500;

/** Names of models that do not chat, as providers list them beside those that do. */
const otherTrades =
  /embed|(?:^|[/_-])(?:bge|gte|e5|minilm|rerank\w*|colbert)(?:[-_.:/]|$)|all-minilm|whisper|transcribe|(?:^|[/_-])tts(?:[-_.:/]|$)|dall-e|moderation|guard(?:[-_.:/]|$)|gpt-image|(?:^|[/_-])(?:sora|imagen|veo)(?:[-_.:/\d]|$)|realtime|davinci-002|babbage-002/i;

/** The ids of the chat models in the answer of `GET /models`, in the provider's order; nothing where it is no such list. */
export function chatModelIds(answer: unknown): string[] {
  if (!isJsonObject(answer) || !Array.isArray(answer.data)) return [];
  const ids = answer.data.flatMap((entry) =>
    isJsonObject(entry) && typeof entry.id === "string" && entry.id !== "" ? [entry.id] : [],
  );
  return [...new Set(ids)].filter((id) => id.length <= 255 && !otherTrades.test(id)).slice(0, modelsMax);
}
