import { isJsonObject, type JsonObject } from "#contract/json.ts";
import { limits } from "#contract/limits.ts";
import { cutText } from "#contract/text.ts";
import { listedFacts, type ListedFacts } from "./listed-facts.ts";
import { labelOf } from "../model-label.ts";

/** Longer lists do not help people to choose. */
const modelsMax = 500;

/** Names of models that do not chat. Providers list them beside chat models. */
const nonChatNames =
  /embed|(?:^|[/_-])(?:bge|gte|e5|minilm|rerank\w*|colbert)(?:[-_.:/]|$)|all-minilm|whisper|transcribe|(?:^|[/_-])tts(?:[-_.:/]|$)|dall-e|moderation|guard(?:[-_.:/]|$)|gpt-image|(?:^|[/_-])(?:sora|imagen|veo)(?:[-_.:/\d]|$)|realtime|davinci-002|babbage-002/i;

/** A chat model in a provider's list, the name that people see, and the facts in the list. */
export type ListedModel = { id: string; name: string; facts: ListedFacts };

/** The chat models in a response of `GET /models`, in the provider's order; none if the response is not such a list. */
export function parseModelList(response: unknown): ListedModel[] {
  if (!isJsonObject(response) || !Array.isArray(response.data)) return [];
  const models = new Map<string, ListedModel>();
  for (const entry of response.data) {
    if (!isJsonObject(entry) || typeof entry.id !== "string" || entry.id === "" || models.has(entry.id))
      continue;
    if (entry.id.length <= 255 && !nonChatNames.test(entry.id))
      models.set(entry.id, { id: entry.id, name: nameIn(entry.id, entry), facts: listedFacts(entry) });
  }
  return withDifferentNames([...models.values()].slice(0, modelsMax));
}

/** The name in the list (`display_name` at Anthropic, `name` at OpenRouter), else one made of the id. */
function nameIn(id: string, { name, display_name: displayName }: JsonObject): string {
  for (const given of [displayName, name])
    if (typeof given === "string" && given.trim() !== "" && given !== id)
      return cutText(given, limits.nameCharacters);
  return labelOf(id);
}

/** Of several models with one name, that with the shortest id keeps it. The others are shown with their ids. */
function withDifferentNames(models: ListedModel[]): ListedModel[] {
  const owners = new Map<string, string>();
  for (const { id, name } of models)
    if (id.length < (owners.get(name) ?? id + " ").length) owners.set(name, id);
  return models.map((model) => (owners.get(model.name) === model.id ? model : { ...model, name: model.id }));
}
