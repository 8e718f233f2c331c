import { newId } from "#contract/ids.ts";
import type { Database } from "#storage/database/database.ts";
import type { Clock } from "#server/lib/clock.ts";
import * as rows from "#server/people/users/rows.ts";

/** The internal id of the workspace that a backend uses under this name. Creates it if it is missing. */
export async function findOrCreateWorkspace(
  db: Database,
  clock: Clock,
  appId: string,
  name: string,
): Promise<string> {
  const place = { appId, realm: "external", name } as const;
  const found = await rows.findWorkspace(db.read, place);
  if (found !== undefined) return found.id;
  const nowMs = clock.now();
  await db.write(
    async (tx) =>
      await rows.insertWorkspace(tx, {
        id: newId("workspace", nowMs),
        app_id: appId,
        realm: "external",
        name,
        created_at: nowMs,
      }),
  );
  // Another request can have created it first.
  return (await rows.findWorkspace(db.read, place))!.id;
}
