import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import * as rows from "../rows.ts";

/** The internal id of the workspace that a backend calls by this name; made where it is not there. */
export async function externalWorkspace(
  db: Database,
  clock: Clock,
  projectId: string,
  name: string,
): Promise<string> {
  const place = { projectId, realm: "external", name } as const;
  const found = await rows.findWorkspace(db.read, place);
  if (found !== undefined) return found.id;
  const nowMs = clock.now();
  await db.write(
    async (tx) =>
      await rows.insertWorkspace(tx, {
        id: newId("workspace", nowMs),
        project_id: projectId,
        realm: "external",
        name,
        created_at: nowMs,
      }),
  );
  // Another request may have made it first; the one that stands counts.
  return (await rows.findWorkspace(db.read, place))!.id;
}
