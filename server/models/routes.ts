import { providerKindInfo } from "#contract/provider-kinds.ts";
import type { PullEvent } from "#contract/endpoints/providers.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import type { EventBatch, Routes } from "../lib/route.ts";
import type { ManageProviders } from "./owner-providers/manage-providers.ts";
import { toBaseUrl } from "./owner-providers/provider-url.ts";
import { deleteModel, pullModel } from "./owner-providers/ollama-models.ts";
import { environmentId } from "./providers/environment.ts";
import type { Place } from "./providers/requests/provider-api.ts";
import { suggestProviders } from "./owner-providers/suggest-providers.ts";
import { testConnection } from "./owner-providers/test-connection.ts";
import type { Models } from "./models.ts";

type Names =
  | "models.list"
  | "providers.list"
  | "providers.create"
  | "providers.update"
  | "providers.reorder"
  | "providers.remove"
  | "providers.test"
  | "providers.pull"
  | "providers.removeModel"
  | "providers.suggestions";

export function modelRoutes(
  models: Models,
  manage: ManageProviders,
  deps: Parameters<typeof testConnection>[1],
): Routes<Names> {
  /** The environment's provider first. */
  const list = async () => [...(await models.environment()), ...(await manage.list())];
  const forget = async (id: string) =>
    id === environmentId ? models.forgetEnvironmentList() : await manage.forgetList(id);

  /** Throws `provider-not-found`, and `bad-request` for another kind of provider. */
  async function ollamaPlace(id: string): Promise<Place> {
    const place = id === environmentId ? models.environmentPlace() : await manage.placeOf(id);
    if (place === undefined) throw new AppError("provider-not-found");
    if (place.kind !== "ollama") throw badRequest("path.provider_id", "must be an Ollama server");
    return place;
  }

  return {
    "models.list": async () => {
      const { models: found, default: defaultModel } = await models.list();
      return { models: found, default_model: defaultModel };
    },
    "providers.list": async () => ({ providers: await list() }),
    "providers.create": async ({ body }) => ({ provider: await manage.create(body) }),
    "providers.update": async ({ params, body }) => ({
      provider: await manage.update(params.provider_id, body),
    }),
    "providers.reorder": async ({ body }) => {
      await manage.reorder(body.provider_ids);
      return {};
    },
    "providers.remove": async ({ params }) => {
      await manage.remove(params.provider_id);
      return {};
    },
    "providers.test": async ({ body, request }) => {
      const { kind, model, provider_id: id, api_key: given } = body;
      const baseUrl = toBaseUrl(kind, body.base_url);
      const apiKey = given ?? (id === undefined ? undefined : await manage.keyFor(id, baseUrl));
      if (apiKey === undefined && providerKindInfo(kind).key === "required")
        throw badRequest("body.api_key", "must be given for this kind of provider");
      return await testConnection({ kind, model, baseUrl, apiKey }, deps, request.signal);
    },
    "providers.pull": async ({ params, body, request }) => {
      const place = await ollamaPlace(params.provider_id);
      const events = await pullModel(place, body.model, deps.fetch, request.signal);
      return frames(events, () => forget(params.provider_id));
    },
    "providers.removeModel": async ({ params, body, request }) => {
      const place = await ollamaPlace(params.provider_id);
      await deleteModel(place, body.model, deps.fetch, request.signal);
      await forget(params.provider_id);
      return {};
    },
    "providers.suggestions": async ({ request }) => ({
      suggestions: await suggestProviders(
        (await list()).map(({ base_url: url }) => url),
        deps.fetch,
        request.signal,
      ),
    }),
  };
}

/** `onEnd` is called when the model is there. */
async function* frames(events: AsyncIterable<PullEvent>, onEnd: () => unknown): AsyncGenerator<EventBatch> {
  for await (const event of events) {
    if (event.type === "pull-end") await onEnd();
    yield [{ json: JSON.stringify(event) }];
  }
}
