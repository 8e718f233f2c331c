import { newId } from "#contract/ids.ts";
import type { Tx } from "#storage/database/database.ts";
import * as rows from "./rows.ts";

/** Not a user id, so no visitor has this workspace. The name is stored. */
const stagingName = "(being brought in)";

/**
 * In another module's transaction: the app's workspace for threads that are being imported. No visitor has it, so
 * a partly imported thread is never visible.
 */
export async function stagingWorkspace(tx: Tx, appId: string, nowMs: number): Promise<string> {
  const place = { appId, realm: "own", name: stagingName } as const;
  const existing = await rows.findWorkspace(tx.q, place);
  if (existing !== undefined) return existing.id;
  await rows.insertWorkspace(tx, {
    id: newId("workspace", nowMs),
    app_id: appId,
    realm: place.realm,
    name: stagingName,
    created_at: nowMs,
  });
  return (await rows.findWorkspace(tx.q, place))!.id;
}

export { stagingName };
