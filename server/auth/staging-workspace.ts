import { newId } from "#contract/ids.ts";
import type { Tx } from "#storage/database/database.ts";
import * as rows from "./rows.ts";

/** No user's id, and so no name of an own workspace that anybody acts in. */
const stagingName = "(being brought in)";

/**
 * In another room's transaction: a workspace of the project that nobody acts in, where threads stand while they are
 * brought in piece by piece, so that nobody sees half of one.
 */
export async function stagingWorkspace(tx: Tx, projectId: string, nowMs: number): Promise<string> {
  const place = { projectId, realm: "own", name: stagingName } as const;
  const there = await rows.findWorkspace(tx.q, place);
  if (there !== undefined) return there.id;
  await rows.insertWorkspace(tx, {
    id: newId("workspace", nowMs),
    project_id: projectId,
    realm: place.realm,
    name: stagingName,
    created_at: nowMs,
  });
  return (await rows.findWorkspace(tx.q, place))!.id;
}

export { stagingName };
