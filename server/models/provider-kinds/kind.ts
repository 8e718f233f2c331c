import type { ModelInput } from "#contract/endpoints/models.ts";
import type { ListedFacts } from "../providers/lists/listed-facts.ts";
import type { ProviderConnection, ProviderApi } from "../providers/requests/provider-api.ts";

/** A kind of provider: how its models are listed and called. One entry of the list in `kinds.ts`. */
export type ProviderKind = {
  api: ProviderApi;
  /** Which files a model is assumed to read if nothing is known about it. */
  usualInputs: readonly ModelInput[];
  /** Whether the model's reasoning effort can be set, by its id, if the list of models does not say it. */
  hasEfforts?(modelId: string): boolean;
  /** Whether the provider's server passes requests for a model on to another host, by the model's id. */
  isRelayed?(modelId: string): boolean;
  /** The base URL of the API, if it differs from the one that people enter. */
  apiUrl?(baseUrl: string): string;
  /** The request for the list of models. */
  listRequest(connection: ProviderConnection): { url: string; headers: Record<string, string> };
  /** Converts the list to the form of OpenAI's, `{ data: [{ id }] }`, if it has another one. */
  toOpenAiList?(response: unknown): unknown;
  /** Requests what the server reports about one model. */
  loadFacts?(
    connection: ProviderConnection,
    modelId: string,
    fetch: typeof globalThis.fetch,
  ): Promise<ListedFacts | undefined>;
};

/** `GET /models` with a bearer token, as in OpenAI's API. */
export function openAiListRequest({
  baseUrl,
  apiKey,
}: ProviderConnection): ReturnType<ProviderKind["listRequest"]> {
  return {
    url: `${baseUrl}/models`,
    headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
  };
}
