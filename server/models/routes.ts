import type { PullEvent } from "#contract/endpoints/providers.ts";
import { actorOf } from "../audit/audit.ts";
import type { Rights } from "../people/rights/rights.ts";
import { AppError, badRequest } from "../lib/errors.ts";
import type { EventBatch, Routes } from "../lib/route.ts";
import type { ManageProviders } from "./stored-providers/manage-model-providers.ts";
import { deleteModel, pullModel } from "./stored-providers/ollama-models.ts";
import { environmentId } from "./providers/environment.ts";
import type { ProviderConnection } from "./providers/requests/provider-api.ts";
import { suggestProviders } from "./stored-providers/suggest-providers.ts";
import type { ModelSettingsStore } from "./model-settings.ts";
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
  | "providers.suggestions"
  | "modelSettings.get"
  | "modelSettings.put";

export function modelRoutes(
  models: Models,
  manage: ManageProviders,
  settings: ModelSettingsStore,
  deps: { fetch: typeof fetch; rights: Rights },
): Routes<Names> {
  /** The environment's provider first. */
  const listProviders = async () => [...(await models.environment()), ...(await manage.list())];
  const forget = async (id: string) =>
    id === environmentId ? models.forgetEnvironmentList() : await manage.forgetList(id);

  /** Throws `provider-not-found`, and `bad-request` for another kind of provider. */
  async function ollamaConnection(id: string): Promise<ProviderConnection> {
    const connection = id === environmentId ? models.environmentConnection() : await manage.connectionOf(id);
    if (connection === undefined) throw new AppError("provider-not-found");
    if (connection.kind !== "ollama") throw badRequest("path.provider_id", "must be an Ollama server");
    return connection;
  }

  return {
    "models.list": async ({ visitor }) => {
      const [list, access] = await Promise.all([models.list(), deps.rights.of(visitor)]);
      const allowed = list.models.filter(({ id }) => access.model(id));
      return {
        models: allowed,
        default_model: allowed.some(({ id }) => id === list.default)
          ? list.default
          : (allowed[0]?.id ?? list.default),
        local_only: await settings.isLocalOnly(),
        suggestions: await settings.isOn("suggestions"),
      };
    },
    "providers.list": async () => ({ providers: await listProviders() }),
    "providers.create": async (call) => ({
      provider: await manage.create(call.visitor, call.body, actorOf(call)),
    }),
    "providers.update": async (call) => ({
      provider: await manage.update(call.visitor, call.params.provider_id, call.body, actorOf(call)),
    }),
    "providers.reorder": async (call) => {
      await manage.reorder(call.body.provider_ids, actorOf(call));
      return {};
    },
    "providers.remove": async (call) => {
      await manage.remove(call.params.provider_id, actorOf(call));
      return {};
    },
    "providers.test": async ({ visitor, body, request }) => await manage.test(visitor, body, request.signal),
    "providers.pull": async ({ visitor, params, body, request }) => {
      const connection = await ollamaConnection(params.provider_id);
      const events = await pullModel(connection, body.model, deps.fetch, request.signal);
      await manage.recordModel(
        "model-downloaded",
        params.provider_id,
        body.model,
        actorOf({ visitor, request }),
      );
      return frames(events, () => forget(params.provider_id));
    },
    "providers.removeModel": async ({ visitor, params, body, request }) => {
      const connection = await ollamaConnection(params.provider_id);
      await deleteModel(connection, body.model, deps.fetch, request.signal);
      await manage.recordModel(
        "model-deleted",
        params.provider_id,
        body.model,
        actorOf({ visitor, request }),
      );
      await forget(params.provider_id);
      return {};
    },
    "providers.suggestions": async ({ request }) => ({
      suggestions: await suggestProviders(
        (await listProviders()).map(({ base_url: url }) => url),
        deps.fetch,
        request.signal,
      ),
    }),
    "modelSettings.get": async () => ({
      settings: await settings.get(),
      from_environment: settings.fromEnvironment,
    }),
    "modelSettings.put": async ({ visitor, body, request }) => {
      await settings.put(visitor, body, request.limitKey);
      return {};
    },
  };
}

/** `onEnd` is called when the model is there. */
async function* frames(events: AsyncIterable<PullEvent>, onEnd: () => unknown): AsyncGenerator<EventBatch> {
  for await (const event of events) {
    if (event.type === "pull-end") await onEnd();
    yield [{ json: JSON.stringify(event) }];
  }
}
