import { randomCharacters, newId } from "#contract/ids.ts";
import { StorageUnavailableError } from "#storage/errors.ts";
import { type Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import type { Clock } from "../lib/clock.ts";
import { AppError } from "../lib/errors.ts";
import { owner } from "./first-rows.ts";
import * as rows from "./rows.ts";
import { hashOf } from "./secrets.ts";

export const apiKeyPrefix = "sk_aui_proj_";

/** The minimum time between two updates of `last_used_at`. */
const touchEveryMs = 60_000;
/** The name of the key that is created from the setting of this name. */
const settingName = "PARLANCE_API_KEY";

/** A key without its secret, which is not stored. Times are milliseconds since 1970. */
export type ApiKey = Pick<
  Row<"api_keys">,
  "id" | "prefix" | "name" | "project_id" | "created_at" | "last_used_at" | "expires_at" | "revoked_at"
> & {
  /** Whether it comes from the setting, which restores it at the next start. */
  fromSetting: boolean;
};

export type ApiKeys = {
  /** Creates a key for the project, valid at once on every server. `key` is returned only here. */
  create(options: {
    name: string;
    projectId: string;
    /** Milliseconds since 1970; absent: never. */
    expiresAt?: number | undefined;
  }): Promise<ApiKey & { key: string }>;
  /** Also finds expired and revoked keys. */
  find(key: string): Promise<ApiKey | undefined>;
  /** All keys, also expired and revoked ones, newest first. */
  list(): Promise<ApiKey[]>;
  /**
   * Revokes a key and the tokens minted with it, from the next request on every server. Returns the key, or `undefined`
   * if there is none. A second call changes nothing.
   */
  revoke(id: string): Promise<ApiKey | undefined>;
  /** Throws `invalid-api-key` for an unknown, expired or revoked key. */
  verify(key: string): Promise<Row<"api_keys">>;
  /** Whether the key exists and is neither expired nor revoked. */
  isValid(id: string): Promise<boolean>;
  /** Creates the key of the setting, and revokes the key of an earlier value. */
  syncSetting(key: string | undefined): Promise<void>;
};

export function createApiKeys(options: { db: Database; clock: Clock }): ApiKeys {
  const { db, clock } = options;

  const hasEnded = (row: Row<"api_keys">) =>
    row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= clock.now());

  return {
    async create({ name, projectId, expiresAt }) {
      const nowMs = clock.now();
      // 40 characters of 5 bits: 200 random bits.
      const key = apiKeyPrefix + randomCharacters(40);
      const row: Row<"api_keys"> = {
        id: newId("apiKey", nowMs),
        key_hash: hashOf(key),
        prefix: prefixOf(key),
        project_id: projectId,
        name,
        // Only the owner has access to the command line.
        created_by: owner.userId,
        created_at: nowMs,
        last_used_at: null,
        expires_at: expiresAt ?? null,
        revoked_at: null,
      };
      await db.write(async (tx) => await rows.insertApiKey(tx, row));
      return { ...withoutHash(row), key };
    },

    async find(key) {
      const row = await rows.findApiKey(db, hashOf(key));
      return row && withoutHash(row);
    },

    async list() {
      return (await rows.listApiKeys(db)).map(withoutHash);
    },

    async revoke(id) {
      const nowMs = clock.now();
      await db.write(async (tx) => await rows.revokeApiKey(tx, id, nowMs));
      const row = await rows.findApiKeyById(db, id);
      return row && withoutHash(row);
    },

    async verify(key) {
      const row = await rows.findApiKey(db, hashOf(key));
      if (row === undefined || hasEnded(row)) throw new AppError("invalid-api-key");
      const nowMs = clock.now();
      if (nowMs - (row.last_used_at ?? 0) > touchEveryMs)
        await db
          .write(async (tx) => await rows.touchApiKey(tx, row.id, nowMs))
          .catch((error: unknown) => {
            // Reads with the key still work while nothing can be stored.
            if (!(error instanceof StorageUnavailableError)) throw error;
          });
      return row;
    },

    async isValid(id) {
      const row = await rows.findApiKeyById(db, id);
      return row !== undefined && !hasEnded(row);
    },

    async syncSetting(key) {
      const nowMs = clock.now();
      const keyHash = key === undefined ? undefined : hashOf(key);
      await db.write(async (tx) => {
        await rows.revokeOtherKeys(tx, settingName, keyHash, nowMs);
        if (key === undefined || keyHash === undefined) return;
        await rows.insertApiKey(tx, {
          id: newId("apiKey", nowMs),
          key_hash: keyHash,
          prefix: prefixOf(key),
          project_id: owner.projectId,
          name: settingName,
          created_by: null,
          created_at: nowMs,
          last_used_at: null,
          expires_at: null,
          revoked_at: null,
        });
        await rows.setApiKeyRevoked(tx, keyHash, null);
      });
    },
  };
}

/** The common prefix and 4 more characters, by which people recognize a key. */
function prefixOf(key: string): string {
  return key.slice(0, apiKeyPrefix.length + 4);
}

function withoutHash(row: Row<"api_keys">): ApiKey {
  const { id, prefix, name, project_id, created_at, last_used_at, expires_at, revoked_at } = row;
  const fromSetting = row.created_by === null && name === settingName;
  return { id, prefix, name, project_id, created_at, last_used_at, expires_at, revoked_at, fromSetting };
}
