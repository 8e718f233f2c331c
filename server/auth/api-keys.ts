import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/sql/database.ts";
import type { Row } from "#storage/sql/tables.ts";
import type { Clock } from "../clock.ts";
import { AppError } from "../errors.ts";
import * as rows from "./rows.ts";
import { hashOf } from "./secrets.ts";

export const apiKeyPrefix = "sk_aui_proj_";

/** How often a key's last use is written down, at most. */
const touchEveryMs = 60_000;
/** The name of the key that the setting of this name makes; no one made it by hand. */
const settingName = "PARLANCE_API_KEY";

export type ApiKeys = {
  /** The key behind a bearer. Throws `invalid-api-key` for one that is unknown, expired or revoked. */
  verify(key: string): Promise<Row<"api_keys">>;
  /** Whether the key of this id still stands. */
  stands(id: string): Promise<boolean>;
  /** Makes the operator's setting a key, and revokes the one that an earlier setting made. */
  keepSetting(key: string | undefined): Promise<void>;
};

export function createApiKeys(options: { db: Database; clock: Clock; projectId: string }): ApiKeys {
  const { db, clock, projectId } = options;

  const isOver = (row: Row<"api_keys">) =>
    row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= clock.now());

  return {
    async verify(key) {
      const row = await rows.findApiKey(db, hashOf(key));
      if (row === undefined || isOver(row)) throw new AppError("invalid-api-key");
      const nowMs = clock.now();
      if (nowMs - (row.last_used_at ?? 0) > touchEveryMs)
        await db.write(async (tx) => await rows.touchApiKey(tx, row.id, nowMs));
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
          prefix: key.slice(0, apiKeyPrefix.length + 4),
          project_id: projectId,
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
