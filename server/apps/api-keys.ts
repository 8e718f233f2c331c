import { randomCharacters, newId } from "#contract/ids.ts";
import { StorageUnavailableError } from "#storage/lib/errors.ts";
import type { Database, Tx } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { operator, recordAudit, type Actor } from "../audit/audit.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { owner } from "./first-app.ts";
import * as rows from "./api-key-rows.ts";
import { hashOf } from "#server/sign-in/secrets.ts";

export const apiKeyPrefix = "sk_aui_proj_";

/** The minimum time between two updates of `last_used_at`. */
const touchEveryMs = 60_000;
/** The name of the key that is created from the setting of this name. */
const settingName = "PARLANCE_API_KEY";

/** A key without its secret, which is not stored. Times are milliseconds since 1970. */
export type ApiKey = Pick<
  Row<"api_keys">,
  "id" | "prefix" | "name" | "app_id" | "created_at" | "last_used_at" | "expires_at" | "revoked_at"
> & {
  /** Whether the key comes from the setting, which restores it at the next start. */
  fromSetting: boolean;
};

export type ApiKeys = ReturnType<typeof createApiKeys>;

export function createApiKeys(options: { db: Database; clock: Clock }) {
  const { db, clock } = options;
  return {
    ...createKeyChecks(options),
    syncSetting: async (key: string | undefined) => await syncSetting(db, key, clock.now()),

    /**
     * Creates a key for the app, valid at once on every server. `key` is returned only here. `expiresAt` is in
     * milliseconds since 1970; absent: never.
     */
    async create(
      given: { name: string; appId: string; expiresAt?: number | undefined },
      actor: Actor,
    ): Promise<ApiKey & { key: string }> {
      // 40 characters of 5 bits: 200 random bits.
      const key = apiKeyPrefix + randomCharacters(40);
      const nowMs = clock.now();
      // Only the owner has access to the command line.
      const createdBy = actor === operator ? owner.userId : actor.id;
      const row = newRow(key, { ...given, createdBy, nowMs });
      await db.write(async (tx) => {
        await rows.insertApiKey(tx, row);
        await record(tx, "app-key-created", actor, row, nowMs);
      });
      return { ...withoutHash(row), key };
    },

    /** Also finds expired and revoked keys. */
    async find(key: string): Promise<ApiKey | undefined> {
      const row = await rows.findApiKey(db, hashOf(key));
      return row && withoutHash(row);
    },

    /** All keys, also expired and revoked ones, newest first. */
    list: async () => (await rows.listApiKeys(db)).map(withoutHash),

    /** A page of an app's keys, like `list`. Throws `bad-cursor`. */
    async listOfApp(
      appId: string,
      { after, limit }: { after?: string | undefined; limit: number },
    ): Promise<ApiKey[]> {
      const last = after === undefined ? undefined : await rows.findApiKeyById(db, after);
      if (after !== undefined && last?.app_id !== appId) throw new AppError("bad-cursor");
      return (await rows.listApiKeys(db, { appId, after: last, limit })).map(withoutHash);
    },

    /** Whether the key is neither expired nor revoked. */
    isActive: (key: Pick<ApiKey, "expires_at" | "revoked_at">) => !hasEnded(key, clock.now()),

    /**
     * Revokes a key and the tokens minted with it, from the next request on every server. Returns the key, or
     * `undefined` if there is none, or none of the app `ofApp`. A second call changes nothing.
     */
    async revoke(id: string, actor: Actor, ofApp?: string): Promise<ApiKey | undefined> {
      const nowMs = clock.now();
      const row = await rows.findApiKeyById(db, id);
      if (row === undefined || (ofApp !== undefined && row.app_id !== ofApp)) return undefined;
      await db.write(async (tx) => {
        if (await rows.revokeApiKey(tx, id, nowMs)) await record(tx, "app-key-revoked", actor, row, nowMs);
      });
      return withoutHash((await rows.findApiKeyById(db, id)) ?? row);
    },
  };
}

/** The checks of the keys that callers send. */
function createKeyChecks({ db, clock }: { db: Database; clock: Clock }) {
  async function touch({ id, last_used_at: lastUsedAt }: Row<"api_keys">): Promise<void> {
    const nowMs = clock.now();
    if (nowMs - (lastUsedAt ?? 0) <= touchEveryMs) return;
    await db
      .write(async (tx) => await rows.touchApiKey(tx, id, nowMs))
      .catch((error: unknown) => {
        // Reads with the key still work while nothing can be stored.
        if (!(error instanceof StorageUnavailableError)) throw error;
      });
  }

  return {
    /** Throws `invalid-api-key` for an unknown, expired or revoked key. */
    async verify(key: string): Promise<Row<"api_keys">> {
      const row = await rows.findApiKey(db, hashOf(key));
      if (row === undefined || hasEnded(row, clock.now())) throw new AppError("invalid-api-key");
      await touch(row);
      return row;
    },

    /** Whether the key exists and is neither expired nor revoked. */
    async isValid(id: string): Promise<boolean> {
      const row = await rows.findApiKeyById(db, id);
      return row !== undefined && !hasEnded(row, clock.now());
    },
  };
}

function hasEnded(
  { revoked_at, expires_at }: Pick<ApiKey, "expires_at" | "revoked_at">,
  nowMs: number,
): boolean {
  return revoked_at !== null || (expires_at !== null && expires_at <= nowMs);
}

async function record(
  tx: Tx,
  action: "app-key-created" | "app-key-revoked",
  actor: Actor,
  key: Pick<ApiKey, "id" | "name" | "prefix" | "app_id">,
  nowMs: number,
): Promise<void> {
  const details = { app: key.app_id, name: key.name, prefix: key.prefix };
  await recordAudit(tx, { action, actor, target: key.id, details }, nowMs);
}

/** Creates the key of the setting, and revokes the key of an earlier value. */
async function syncSetting(db: Database, key: string | undefined, nowMs: number): Promise<void> {
  const { appId } = owner;
  const row =
    key === undefined ? undefined : newRow(key, { name: settingName, appId, createdBy: null, nowMs });
  await db.write(async (tx) => {
    await rows.revokeOtherKeys(tx, settingName, row?.key_hash, nowMs);
    if (row === undefined) return;
    await rows.insertApiKey(tx, row);
    await rows.setApiKeyRevoked(tx, row.key_hash, null);
  });
}

function newRow(
  key: string,
  options: {
    name: string;
    appId: string;
    createdBy: string | null;
    expiresAt?: number | undefined;
    nowMs: number;
  },
): Row<"api_keys"> {
  return {
    id: newId("apiKey", options.nowMs),
    key_hash: hashOf(key),
    // The common prefix and 4 more characters, by which people recognize a key.
    prefix: key.slice(0, apiKeyPrefix.length + 4),
    app_id: options.appId,
    name: options.name,
    created_by: options.createdBy,
    created_at: options.nowMs,
    last_used_at: null,
    expires_at: options.expiresAt ?? null,
    revoked_at: null,
  };
}

function withoutHash(row: Row<"api_keys">): ApiKey {
  const { id, prefix, name, app_id, created_at, last_used_at, expires_at, revoked_at } = row;
  const fromSetting = row.created_by === null && name === settingName;
  return { id, prefix, name, app_id, created_at, last_used_at, expires_at, revoked_at, fromSetting };
}
