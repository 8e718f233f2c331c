import { isJsonObject } from "#contract/json.ts";
import { listedFacts, type ListedFacts } from "./listed-facts.ts";

/** More models than this are no help to a person who chooses. */
const modelsMax = 500;

/** Names of models that do not chat, as providers list them beside those that do. */
const otherTrades =
  /embed|(?:^|[/_-])(?:bge|gte|e5|minilm|rerank\w*|colbert)(?:[-_.:/]|$)|all-minilm|whisper|transcribe|(?:^|[/_-])tts(?:[-_.:/]|$)|dall-e|moderation|guard(?:[-_.:/]|$)|gpt-image|(?:^|[/_-])(?:sora|imagen|veo)(?:[-_.:/\d]|$)|realtime|davinci-002|babbage-002/i;

/** A chat model of a provider, and what its list says of it. */
export type ChatModel = { id: string; facts: ListedFacts };

/** The chat models in the answer of `GET /models`, in the provider's order; nothing where it is no such list. */
export function chatModels(answer: unknown): ChatModel[] {
  if (!isJsonObject(answer) || !Array.isArray(answer.data)) return [];
  const models = new Map<string, ListedFacts>();
  for (const entry of answer.data) {
    if (!isJsonObject(entry) || typeof entry.id !== "string" || entry.id === "" || models.has(entry.id))
      continue;
    if (entry.id.length <= 255 && !otherTrades.test(entry.id)) models.set(entry.id, listedFacts(entry));
  }
  return [...models].slice(0, modelsMax).map(([id, facts]) => ({ id, facts }));
}
