import type { BodyOf } from "#contract/api.ts";
import type { PersonalKey } from "#contract/endpoints/keys.ts";
import { newId, randomCharacters } from "#contract/ids.ts";
import { limits } from "#contract/limits.ts";
import type { Database } from "#storage/database/database.ts";
import type { Row } from "#storage/database/tables.ts";
import { StorageUnavailableError } from "#storage/lib/errors.ts";
import { recordAudit, type Actor } from "#server/audit/audit.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { roleOf } from "#server/people/accounts/roles.ts";
import { hashOf } from "../secrets.ts";
import * as rows from "./rows.ts";

const prefix = "sk_parlance_";

/** The minimum time between two updates of `last_used_at`. */
const touchEveryMs = 60_000;
const dayMs = 24 * 3_600_000;

export type PersonalKeys = ReturnType<typeof createPersonalKeys>;

/**
 * Keys with which people use the models of this server in editors and scripts. A request with a key acts as its person.
 */
export function createPersonalKeys({ db, clock }: { db: Database; clock: Clock }) {
  const isValid = (row: rows.KeyWithUser | undefined): row is rows.KeyWithUser =>
    row !== undefined &&
    row.revoked_at === null &&
    row.user_disabled_at === null &&
    row.user_deletion_due_at === null &&
    (row.expires_at === null || row.expires_at > clock.now());

  async function touch({ id, last_used_at: lastUsedAt }: rows.KeyWithUser): Promise<void> {
    const nowMs = clock.now();
    if (nowMs - (lastUsedAt ?? 0) <= touchEveryMs) return;
    await db
      .write(async (tx) => await rows.touchKey(tx, id, nowMs))
      .catch((error: unknown) => {
        // The key still works while nothing can be stored.
        if (!(error instanceof StorageUnavailableError)) throw error;
      });
  }

  return {
    /** The keys of a person that are not revoked, also expired ones, newest first. */
    list: async (userId: string) => (await rows.listKeys(db.read, userId)).map(present),

    /** Returns the key with its secret, which is not stored. Throws `too-many-personal-keys`. */
    async create(
      actor: Actor,
      { name, expires_in_days: days }: BodyOf<"keys.create">,
    ): Promise<{ key: PersonalKey; secret: string }> {
      // 40 characters of 5 bits: 200 random bits.
      const secret = prefix + randomCharacters(40);
      const nowMs = clock.now();
      const row: Row<"personal_keys"> = {
        id: newId("personalKey", nowMs),
        key_hash: hashOf(secret),
        prefix: secret.slice(0, prefix.length + 4),
        user_id: actor.id,
        name: name.trim(),
        created_at: nowMs,
        last_used_at: null,
        expires_at: days === undefined ? null : nowMs + days * dayMs,
        revoked_at: null,
      };
      await db.write(async (tx) => {
        if ((await rows.listKeys(tx.q, actor.id)).length >= limits.personalKeysMax)
          throw new AppError("too-many-personal-keys");
        await rows.insertKey(tx, row);
        await recordAudit(tx, { action: "personal-key-created", actor, target: row.id }, nowMs);
      });
      return { key: present(row), secret };
    },

    /** The key is refused from the next request on, and open streams end. Throws `key-not-found`. */
    async revoke(actor: Actor, id: string): Promise<void> {
      const nowMs = clock.now();
      await db.write(async (tx) => {
        if (!(await rows.revokeKey(tx, id, actor.id, nowMs))) throw new AppError("key-not-found");
        await recordAudit(tx, { action: "personal-key-revoked", actor, target: id }, nowMs);
      });
    },

    /** The person behind a key, in their own workspace. Throws `invalid-personal-key`. */
    async identify(key: string): Promise<Visitor> {
      const row = key.startsWith(prefix) ? await rows.findKey(db, { hash: hashOf(key) }) : undefined;
      if (!isValid(row)) throw new AppError("invalid-personal-key");
      await touch(row);
      return {
        userId: row.user_id,
        kind: row.user_kind,
        role: roleOf({ kind: row.user_kind, is_owner: row.user_is_owner }),
        appId: row.app_id,
        workspaceId: row.workspace_id,
        workspaceName: row.workspace_name,
        credentialId: row.id,
      };
    },

    isValid: async (id: string) => isValid(await rows.findKey(db, { id })),
  };
}

function present(row: Row<"personal_keys">): PersonalKey {
  const instant = (atMs: number | null) => isoTime(atMs);
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    created_at: isoTime(row.created_at),
    last_used_at: instant(row.last_used_at),
    expires_at: instant(row.expires_at),
  };
}
