import type { Role } from "#contract/accounts/permissions.ts";
import type { BodyOf } from "#contract/api.ts";
import type { OfferedModel, ProviderInfo, ProviderTestResult } from "#contract/endpoints/providers.ts";
import { limits } from "#contract/limits.ts";
import { providerKindInfo, type ProviderKindId } from "#contract/provider-kinds.ts";
import { cleanText } from "#contract/text.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { checkMayConnect, confirmsPrivateHost } from "#server/fetch/hosts.ts";
import type { OutgoingProxy } from "#server/fetch/outgoing-proxy.ts";
import type { SteadyClock } from "#server/lib/clock.ts";
import { AppError, badRequest } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { writeOnce } from "#server/lib/write-once.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { LocalOnly } from "../local-only.ts";
import { builtinInfo } from "../providers/builtin.ts";
import { environmentId } from "../providers/environment.ts";
import type { ProviderConnection } from "../providers/requests/provider-api.ts";
import type { ProviderRegistry } from "./stored-providers.ts";
import { keyOf, storeKey, type KeyVault } from "./key-vault.ts";
import { presentProvider } from "./present.ts";
import * as rows from "./rows.ts";
import { testConnection } from "./test-connection.ts";

export type ManageProviders = ReturnType<typeof createManageProviders>;

/** What administrators change about the model providers. */
export function createManageProviders(options: {
  db: Database;
  clock: SteadyClock;
  fetch: typeof fetch;
  localOnly: LocalOnly;
  proxy?: OutgoingProxy | undefined;
  vault: KeyVault;
  registry: ProviderRegistry;
  /** Whether keys may be stored: the secret that encrypts them is known to every server of this database. */
  mayStoreKeys: boolean;
}) {
  const { db, clock, vault, registry, mayStoreKeys } = options;

  function checkKey(apiKey: string | null | undefined): void {
    if (apiKey != null && !mayStoreKeys) throw new AppError("secret-not-set");
  }

  async function findRow(tx: Tx, id: string): Promise<rows.ProviderWithKey> {
    const row = (await rows.listProviders({ read: tx.q })).find((found) => found.id === id);
    if (row === undefined) throw new AppError("provider-not-found");
    return row;
  }

  /** Keeps, replaces or deletes the key. A stored key is never sent to another host. */
  async function changeKey(
    tx: Tx,
    row: rows.ProviderWithKey,
    baseUrl: string,
    apiKey: string | null | undefined,
  ): Promise<boolean> {
    if (apiKey === null) {
      await rows.deleteKey(tx, row.id);
      return false;
    }
    if (apiKey !== undefined) await storeKey(tx, vault, { providerId: row.id, baseUrl }, apiKey);
    else if (row.has_key === 1 && !isSameHost(row.base_url, baseUrl))
      throw badRequest("body.api_key", "must be sent again, because the base URL is on another host");
    return apiKey !== undefined || row.has_key === 1;
  }

  async function get(id: string): Promise<ProviderInfo> {
    const found = (await registry.load()).find(({ row }) => row.id === id);
    if (found === undefined) throw new AppError("provider-not-found");
    return await presentProvider(found);
  }

  /** Where a stored provider is. Throws `provider-not-found`. */
  async function connectionOf(id: string): Promise<{ kind: ProviderKindId } & ProviderConnection> {
    const row = (await rows.listProviders(db)).find((found) => found.id === id);
    if (row === undefined) throw new AppError("provider-not-found");
    return {
      kind: row.kind as ProviderKindId,
      baseUrl: row.base_url,
      apiKey: keyOf(vault, row),
      isPublicOnly: row.public_only === 1,
      proxy: options.proxy,
    };
  }

  return {
    async list(): Promise<ProviderInfo[]> {
      return await Promise.all((await registry.load()).map(presentProvider));
    },

    /** Throws `too-many-providers`, `secret-not-set`, `provider-private`. */
    async create({ role }: Visitor, body: BodyOf<"providers.create">, actor: Actor): Promise<ProviderInfo> {
      checkKey(body.api_key);
      const baseUrl = toBaseUrl(body.kind, body.base_url);
      await checkMayConnect(role, baseUrl);
      const id = await writeOnce(db, async (tx) => {
        const existing = await rows.listProviders({ read: tx.q });
        if (existing.length >= limits.providersMax) throw new AppError("too-many-providers");
        const nowMs = clock.now();
        const row: rows.ProviderRow = {
          id: newIdOf(body, existing),
          kind: body.kind,
          name: cleanText(body.name),
          base_url: baseUrl,
          public_only: isPublicOnlyFor(role),
          has_key: body.api_key === undefined ? 0 : 1,
          models: toColumn(body.models ?? null),
          default_model: body.default_model ?? null,
          position: Math.max(0, ...existing.map(({ position }) => position)) + 1,
          version: 1,
          created_at: nowMs,
          updated_at: nowMs,
        };
        if (row.default_model !== null) await rows.clearDefault(tx, nowMs);
        await rows.insertProvider(tx, row);
        if (body.api_key !== undefined)
          await storeKey(tx, vault, { providerId: row.id, baseUrl }, body.api_key);
        const details = { name: row.name, kind: row.kind, host: new URL(baseUrl).host };
        await recordAudit(tx, { action: "provider-added", actor, target: row.id, details }, nowMs);
        return row.id;
      });
      return await get(id);
    },

    /** Throws `provider-not-found`, `provider-changed`, `secret-not-set`, `provider-private`. */
    async update(
      { role }: Visitor,
      id: string,
      body: BodyOf<"providers.update">,
      actor: Actor,
    ): Promise<ProviderInfo> {
      checkKey(body.api_key);
      let isConfirmedPrivate = false;
      if (body.base_url !== undefined) {
        const connection = await connectionOf(id);
        const baseUrl = toBaseUrl(connection.kind, body.base_url);
        if (baseUrl !== connection.baseUrl) await checkMayConnect(role, baseUrl);
        isConfirmedPrivate = await confirmsPrivateHost(role, baseUrl);
      }
      await db.write(async (tx) => {
        const row = await findRow(tx, id);
        if (row.version !== body.version) throw new AppError("provider-changed");
        const baseUrl =
          body.base_url === undefined ? row.base_url : toBaseUrl(row.kind as ProviderKindId, body.base_url);
        const hasKey = await changeKey(tx, row, baseUrl, body.api_key);
        const nowMs = clock.now();
        const isUpdated = await rows.updateProvider(tx, row, {
          base_url: baseUrl,
          ...(baseUrl !== row.base_url || isConfirmedPrivate ? { public_only: isPublicOnlyFor(role) } : {}),
          has_key: hasKey ? 1 : 0,
          version: row.version + 1,
          updated_at: nowMs,
          ...(body.name === undefined ? {} : { name: cleanText(body.name) }),
          ...(body.models === undefined ? {} : { models: toColumn(body.models) }),
          ...(body.default_model === null ? { default_model: null } : {}),
        });
        if (!isUpdated) throw new AppError("provider-changed");
        if (body.default_model != null) await rows.makeDefault(tx, id, body.default_model, nowMs);
        const fields = Object.keys(body).filter((field) => field !== "version");
        const details = { name: cleanText(body.name ?? row.name), fields, host: new URL(baseUrl).host };
        await recordAudit(tx, { action: "provider-changed", actor, target: id, details }, nowMs);
      });
      return await get(id);
    },

    async reorder(ids: string[], actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        const existing = await rows.listProviders({ read: tx.q });
        const newPositionOf = ({ id }: rows.ProviderRow) => (ids.includes(id) ? ids.indexOf(id) : ids.length);
        const ordered = existing.toSorted((a, b) => newPositionOf(a) - newPositionOf(b));
        for (const [index, { id, position }] of ordered.entries())
          if (position !== index + 1) await rows.setPosition(tx, id, index + 1);
        const details = { order: ordered.map(({ id }) => id) };
        await recordAudit(tx, { action: "providers-reordered", actor, details }, clock.now());
      });
    },

    /** Deletes the provider and its key. Throws `provider-not-found`. */
    async remove(id: string, actor: Actor): Promise<void> {
      await db.write(async (tx) => {
        const { name, kind } = await findRow(tx, id);
        await rows.deleteProvider(tx, id);
        const details = { name, kind };
        await recordAudit(tx, { action: "provider-removed", actor, target: id, details }, clock.now());
      });
    },

    /** Records that a person made the Ollama server of a provider download or delete a model. */
    async recordModel(
      action: "model-downloaded" | "model-deleted",
      id: string,
      model: string,
      actor: Actor,
    ): Promise<void> {
      const entry = { action, actor, target: id, details: { model: cleanText(model) } };
      await db.write(async (tx) => await recordAudit(tx, entry, clock.now()));
    },

    connectionOf,

    /** The models of the provider's server have changed. */
    async forgetList(id: string): Promise<void> {
      (await registry.load()).find(({ row }) => row.id === id)?.provider?.forgetList();
    },

    /**
     * Tests the server of a stored or new provider. A stored key is sent only to the host that it was stored for. Throws
     * `provider-not-found`, `provider-private`.
     */
    async test(
      { role }: Visitor,
      { kind, model, provider_id: id, api_key: given, base_url: url }: BodyOf<"providers.test">,
      signal: AbortSignal,
    ): Promise<ProviderTestResult> {
      const baseUrl = toBaseUrl(kind, url);
      const stored = id === undefined ? undefined : await connectionOf(id);
      const isStored = stored?.baseUrl === baseUrl;
      const isPublicOnly = isStored ? stored?.isPublicOnly === true : role !== "owner";
      if (!isStored) await checkMayConnect(role, baseUrl);
      const storedKey =
        stored !== undefined && isSameHost(stored.baseUrl, baseUrl) ? stored.apiKey : undefined;
      const apiKey = given ?? storedKey;
      if (apiKey === undefined && providerKindInfo(kind).key === "required")
        throw badRequest("body.api_key", "must be given for this kind of provider");
      return await testConnection(
        { kind, model, baseUrl, apiKey, isPublicOnly, proxy: options.proxy },
        options,
        signal,
      );
    },
  };
}

/** Only the owner connects servers in the server's own network. */
function isPublicOnlyFor(role: Role): number {
  return role === "owner" ? 0 : 1;
}

function toColumn(models: readonly OfferedModel[] | null): string | null {
  return (
    models &&
    JSON.stringify(
      models.map(({ id, name, facts }) => ({
        id: cleanText(id),
        name: cleanText(name),
        ...(facts === undefined ? {} : { facts }),
      })),
    )
  );
}

/** The id of a new provider, made of its name: ids are part of URLs, settings and requests. */
function newIdOf(
  { name, kind }: Pick<BodyOf<"providers.create">, "name" | "kind">,
  existing: readonly { id: string }[],
): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [kind];
  const base = words.join("-").slice(0, 40);
  const taken = new Set([environmentId, builtinInfo.id, ...existing.map(({ id }) => id)]);
  let id = base;
  for (let number = 2; taken.has(id); number++) id = `${base}-${number}`;
  return id;
}

/**
 * The base URL of a provider in its stored form: that of its kind if it is empty, without slashes at the end, and without
 * a path that people copied from an example request. Throws `bad-request` if the kind has no usual one.
 */
function toBaseUrl(kind: ProviderKindId, given: string | undefined): string {
  const text = (given?.trim() || providerKindInfo(kind).baseUrl) ?? "";
  if (text === "") throw badRequest("body.base_url", "must be the URL of the API");
  const url = new URL(text)
    .toString()
    .replace(/\/(?:chat\/completions|completions|responses|messages|models)\/*$/, "")
    .replace(/\/+$/, "");
  return kind === "ollama" ? url.replace(/\/(?:v1|api)$/, "") : url;
}

/** Whether two base URLs lead to the same host, so that a key for one may be sent to the other. */
function isSameHost(one: string, other: string): boolean {
  return new URL(one).origin === new URL(other).origin;
}
