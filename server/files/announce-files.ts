import type { Tx } from "#storage/database/database.ts";
import type { Live } from "../live/live.ts";
import type { FileRow } from "./rows.ts";

type Owned = Pick<FileRow, "workspace_id" | "created_by">;

/** Publishes to the owners of these files that their files have changed, once `tx` is committed. */
export async function announceFiles(live: Live, tx: Tx, files: readonly Owned[]): Promise<void> {
  const owners = new Map(files.map((file) => [`${file.workspace_id} ${file.created_by}`, file]));
  for (const { workspace_id: workspaceId, created_by: userId } of owners.values())
    await live.announce(tx, workspaceId, [{ type: "files-put", user_id: userId }]);
}
