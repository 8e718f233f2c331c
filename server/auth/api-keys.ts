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

/** How often a key's last use is written down, at most. */
const touchEveryMs = 60_000;
/** The name of the key that the setting of this name makes; no one made it by hand. */
const settingName = "PARLANCE_API_KEY";

/** A key as it may be shown: never the key itself, which is not kept. Times are milliseconds since 1970. */
export type ApiKey = Pick<
  Row<"api_keys">,
  "id" | "prefix" | "name" | "project_id" | "created_at" | "last_used_at" | "expires_at" | "revoked_at"
> & {
  /** Whether it comes from the setting, which brings it back at the next start. */
  fromSetting: boolean;
};

export type ApiKeys = {
  /**
   * Makes a key of the project; it counts from the next request on, at every server. `key` is answered this once.
   * `expiresAt`: when it ends, milliseconds since 1970; absent: never.
   */
  make(options: {
    name: string;
    projectId: string;
    expiresAt?: number | undefined;
  }): Promise<ApiKey & { key: string }>;
  /** What is known of this very key, also when it is over. */
  find(key: string): Promise<ApiKey | undefined>;
  /** Every key, the newest first, also those that are over. */
  list(): Promise<ApiKey[]>;
  /**
   * Ends a key for good: the next request with it, or with a token that it minted, is refused by every server. Answers
   * it, or `undefined` where there is none of this id. A second time changes nothing.
   */
  revoke(id: string): Promise<ApiKey | undefined>;
  /** The key behind a bearer. Throws `invalid-api-key` for one that is unknown, expired or revoked. */
  verify(key: string): Promise<Row<"api_keys">>;
  /** Whether the key of this id still stands. */
  stands(id: string): Promise<boolean>;
  /** Makes the operator's setting a key, and revokes the one that an earlier setting made. */
  keepSetting(key: string | undefined): Promise<void>;
};

export function createApiKeys(options: { db: Database; clock: Clock }): ApiKeys {
  const { db, clock } = options;

  const isOver = (row: Row<"api_keys">) =>
    row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= clock.now());

  return {
    async make({ name, projectId, expiresAt }) {
      const nowMs = clock.now();
      // 40 characters of 5 bits: 200 bits of chance.
      const key = apiKeyPrefix + randomCharacters(40);
      const row: Row<"api_keys"> = {
        id: newId("apiKey", nowMs),
        key_hash: hashOf(key),
        prefix: prefixOf(key),
        project_id: projectId,
        name,
        // Who has the command line is the owner.
        created_by: owner.userId,
        created_at: nowMs,
        last_used_at: null,
        expires_at: expiresAt ?? null,
        revoked_at: null,
      };
      await db.write(async (tx) => await rows.insertApiKey(tx, row));
      return { ...shown(row), key };
    },

    async find(key) {
      const row = await rows.findApiKey(db, hashOf(key));
      return row && shown(row);
    },

    async list() {
      return (await rows.listApiKeys(db)).map(shown);
    },

    async revoke(id) {
      const nowMs = clock.now();
      await db.write(async (tx) => await rows.revokeApiKey(tx, id, nowMs));
      const row = await rows.findApiKeyById(db, id);
      return row && shown(row);
    },

    async verify(key) {
      const row = await rows.findApiKey(db, hashOf(key));
      if (row === undefined || isOver(row)) throw new AppError("invalid-api-key");
      const nowMs = clock.now();
      if (nowMs - (row.last_used_at ?? 0) > touchEveryMs)
        await db
          .write(async (tx) => await rows.touchApiKey(tx, row.id, nowMs))
          .catch((error: unknown) => {
            // The key still reads while nothing can be stored.
            if (!(error instanceof StorageUnavailableError)) throw error;
          });
      return row;
    },

    async stands(id) {
      const row = await rows.findApiKeyById(db, id);
      return row !== undefined && !isOver(row);
    },

    async keepSetting(key) {
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

/** Enough of a key to tell it from others: 4 characters after what all begin with. */
function prefixOf(key: string): string {
  return key.slice(0, apiKeyPrefix.length + 4);
}

function shown(row: Row<"api_keys">): ApiKey {
  const { id, prefix, name, project_id, created_at, last_used_at, expires_at, revoked_at } = row;
  const fromSetting = row.created_by === null && name === settingName;
  return { id, prefix, name, project_id, created_at, last_used_at, expires_at, revoked_at, fromSetting };
}
