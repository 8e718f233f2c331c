import { isJsonObject } from "#contract/json.ts";
import { listedFacts, type ListedFacts } from "./listed-facts.ts";

/** Longer lists do not help people to choose. */
const modelsMax = 500;

/** Names of models that do not chat. Providers list them beside chat models. */
const nonChatNames =
  /embed|(?:^|[/_-])(?:bge|gte|e5|minilm|rerank\w*|colbert)(?:[-_.:/]|$)|all-minilm|whisper|transcribe|(?:^|[/_-])tts(?:[-_.:/]|$)|dall-e|moderation|guard(?:[-_.:/]|$)|gpt-image|(?:^|[/_-])(?:sora|imagen|veo)(?:[-_.:/\d]|$)|realtime|davinci-002|babbage-002/i;

/** A chat model in a provider's list, and what the list says about it. */
export type ListedModel = { id: string; facts: ListedFacts };

/** The chat models in a response of `GET /models`, in the provider's order; none if the response is not such a list. */
export function parseModelList(response: unknown): ListedModel[] {
  if (!isJsonObject(response) || !Array.isArray(response.data)) return [];
  const models = new Map<string, ListedFacts>();
  for (const entry of response.data) {
    if (!isJsonObject(entry) || typeof entry.id !== "string" || entry.id === "" || models.has(entry.id))
      continue;
    if (entry.id.length <= 255 && !nonChatNames.test(entry.id)) models.set(entry.id, listedFacts(entry));
  }
  return [...models].slice(0, modelsMax).map(([id, facts]) => ({ id, facts }));
}
