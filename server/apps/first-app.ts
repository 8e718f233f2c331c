import { idPrefixes } from "#contract/facts/id-prefixes.ts";
import type { Database } from "#storage/database/database.ts";
import { findFirstOwner } from "#server/people/accounts/rows.ts";
import { insertApp } from "./rows.ts";
import * as rows from "#server/people/users/rows.ts";

const first = "0".repeat(24);

export type Owner = { appId: string; workspaceId: string; userId: string };

/**
 * The first app and its owner. Their ids are constants, so that several processes that start at the same time create
 * only one of each.
 */
export const owner: Owner = {
  appId: idPrefixes.app + first,
  workspaceId: idPrefixes.workspace + first,
  userId: idPrefixes.user + first,
};

/** Creates the first app, and the owner with a workspace if there is no owner. */
export async function ensureFirstApp(db: Database, nowMs: number): Promise<void> {
  await db.write(async (tx) => {
    await insertApp(tx, {
      id: owner.appId,
      name: "Parlance",
      allowed_origins: "[]",
      created_at: nowMs,
    });
    // The first owner may have been removed after another was named.
    if ((await findFirstOwner(tx.q)) !== undefined) return;
    await rows.insertWorkspace(tx, {
      id: owner.workspaceId,
      app_id: owner.appId,
      realm: "own",
      name: owner.userId,
      created_at: nowMs,
    });
    await rows.insertUser(tx, {
      id: owner.userId,
      kind: "admin",
      is_owner: 1,
      workspace_id: owner.workspaceId,
      created_at: nowMs,
      last_seen_at: nowMs,
    });
  });
}
