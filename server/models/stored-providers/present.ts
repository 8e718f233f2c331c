import type { OfferedModel, ProviderInfo } from "#contract/endpoints/providers.ts";
import type { ProviderKindId } from "#contract/provider-kinds.ts";
import type { Provider } from "../providers/provider.ts";
import { environmentId, type EnvironmentProvider } from "../providers/environment.ts";
import type { StoredProvider } from "./stored-providers.ts";

/** A stored provider as administrators see it, without its key. */
export async function presentProvider({ row, provider }: StoredProvider): Promise<ProviderInfo> {
  return {
    id: row.id,
    kind: row.kind as ProviderKindId,
    name: row.name,
    base_url: row.base_url,
    key_last_four: provider === undefined ? null : row.last_four,
    models: row.models === null ? null : (JSON.parse(row.models) as OfferedModel[]),
    default_model: row.default_model,
    ...(await presentState(provider)),
    from_environment: false,
    version: row.version,
  };
}

/** The provider of the environment. */
export async function presentEnvironment(
  { kind, name, baseUrl }: EnvironmentProvider,
  provider: Provider,
): Promise<ProviderInfo> {
  return {
    id: environmentId,
    kind,
    name,
    base_url: baseUrl,
    key_last_four: null,
    models: null,
    default_model: null,
    ...(await presentState(provider)),
    from_environment: true,
    version: 0,
  };
}

async function presentState(
  provider: Provider | undefined,
): Promise<Pick<ProviderInfo, "state" | "problem" | "listed">> {
  if (provider === undefined) return { state: "key-needed", problem: null, listed: [] };
  const { models, problem } = await provider.listed();
  return {
    state: problem === undefined ? "ready" : "failing",
    problem: problem ?? null,
    listed: models.map(({ id, name }) => ({ id, name })),
  };
}
