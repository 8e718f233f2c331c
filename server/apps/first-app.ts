import { idPrefixes } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import { findFirstOwner } from "#server/people/accounts/rows.ts";
import { insertProject } from "./rows.ts";
import * as rows from "#server/people/users/rows.ts";

const first = "0".repeat(24);

export type Owner = { projectId: string; workspaceId: string; userId: string };

/**
 * The first project and its owner. Their ids are constants, so that several processes that start at the same time create
 * only one of each.
 */
export const owner: Owner = {
  projectId: idPrefixes.project + first,
  workspaceId: idPrefixes.workspace + first,
  userId: idPrefixes.user + first,
};

/** Creates the first project, and the owner with a workspace if there is no owner. */
export async function ensureFirstProject(db: Database, nowMs: number): Promise<void> {
  await db.write(async (tx) => {
    await insertProject(tx, {
      id: owner.projectId,
      name: "Parlance",
      allowed_origins: "[]",
      created_at: nowMs,
    });
    // The first owner may have been removed after another was named.
    if ((await findFirstOwner(tx.q)) !== undefined) return;
    await rows.insertWorkspace(tx, {
      id: owner.workspaceId,
      project_id: owner.projectId,
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
