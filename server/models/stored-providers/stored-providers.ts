import { isDeepStrictEqual } from "node:util";
import type { OfferedModel } from "#contract/endpoints/providers.ts";
import { providerKindInfo, type ProviderKindId } from "#contract/provider-kinds.ts";
import type { OutgoingProxy } from "#server/fetch/outgoing-proxy.ts";
import type { Clock } from "#server/lib/clock.ts";
import type { Logger } from "#server/lib/logger.ts";
import type { ModelInputRule } from "#server/settings/setting-types.ts";
import type { Database } from "#storage/database/database.ts";
import type { LocalOnly } from "../local-only.ts";
import { createConnectedProvider } from "../providers/connected-provider.ts";
import type { StoredProviders, Provider } from "../providers/provider.ts";
import type { ProviderTimeouts } from "../providers/requests/watchdog.ts";
import { keyOf, type KeyVault } from "./key-vault.ts";
import * as rows from "./rows.ts";

/** Services on the internet answer within a second or two. */
const list = { freshMs: 60_000, timeoutMs: 5_000 };

/** A stored provider, and the provider that answers for it; absent without its key. */
export type StoredProvider = { row: rows.ProviderWithKey; provider: Provider | undefined };

export type ProviderRegistry = ReturnType<typeof createProviderRegistry>;

/**
 * The providers that administrators added, as they are in the database now. Any process may have changed them. A provider's
 * cache of facts about its models is kept until its row changes.
 */
export function createProviderRegistry(options: {
  db: Database;
  vault: KeyVault;
  clock: Clock;
  logger: Pick<Logger, "warn">;
  rules: readonly ModelInputRule[];
  /** Whether all requests to models must stay in the operator's own network now. */
  localOnly?: LocalOnly;
  fetch?: typeof fetch;
  proxy?: OutgoingProxy | undefined;
  timeouts?: Partial<ProviderTimeouts> | undefined;
}) {
  const { db, vault, clock, logger, rules, timeouts } = options;
  const open = new Map<string, { row: rows.ProviderWithKey; provider: Provider }>();

  function createProvider(row: rows.ProviderWithKey, apiKey: string | undefined): Provider {
    return createConnectedProvider({
      id: row.id,
      name: row.name,
      kind: row.kind as ProviderKindId,
      connection: {
        baseUrl: row.base_url,
        apiKey,
        isPublicOnly: row.public_only === 1,
        proxy: options.proxy,
      },
      offers:
        row.models === null
          ? { which: "listed", mayBeMissing: false, isUnnamedOffered: false }
          : { which: "chosen", models: JSON.parse(row.models) as OfferedModel[] },
      list,
      rules,
      localOnly: options.localOnly,
      onListFailure: (error) =>
        logger.warn(
          { err: error.cause, code: error.code, provider: row.id },
          "the models of a provider could not be listed",
        ),
      clock,
      fetch: options.fetch ?? fetch,
      timeouts,
    });
  }

  function getOrCreate(row: rows.ProviderWithKey): Provider | undefined {
    const existing = open.get(row.id);
    // Not only the version: another provider may have got the name of one that was removed, and so its id.
    if (isDeepStrictEqual(existing?.row, row)) return existing!.provider;
    existing?.provider.close();
    open.delete(row.id);
    const apiKey = keyOf(vault, row);
    if (apiKey === undefined && needsKey(row)) return undefined;
    const provider = createProvider(row, apiKey);
    open.set(row.id, { row, provider });
    return provider;
  }

  async function load(): Promise<StoredProvider[]> {
    const found = await rows.listProviders(db);
    for (const [id, { provider }] of open) {
      if (found.some((row) => row.id === id)) continue;
      provider.close();
      open.delete(id);
    }
    return found.map((row) => ({ row, provider: getOrCreate(row) }));
  }

  return {
    load,
    /** For `createModels`. */
    async added(): Promise<StoredProviders> {
      const all = await load();
      const withDefault = all.find(({ row }) => row.default_model !== null)?.row;
      return {
        providers: all.flatMap(({ provider }) => provider ?? []),
        defaultModel: withDefault && `${withDefault.id}/${withDefault.default_model}`,
      };
    },
    close(): void {
      for (const { provider } of open.values()) provider.close();
    },
  };
}

/** Whether the provider has no key but needs one: its kind requires a key, or it had one. */
function needsKey(row: rows.ProviderWithKey): boolean {
  return row.has_key === 1 || providerKindInfo(row.kind as ProviderKindId).key === "required";
}
