import { exportVersion, serverExportFormat, type ServerExportManifest } from "#contract/endpoints/exports.ts";
import { operatorVisitor } from "#server/apps/find-visitor-by-name.ts";
import { type Clock, isoTime } from "#server/lib/clock.ts";
import type { Database } from "#storage/database/database.ts";
import { zipOf, type ArchiveFile } from "./archive.ts";
import { pretty, type Exports } from "./exports.ts";
import { ownerFileName } from "./file-name.ts";

const ownersPerPage = 100;

/** Exports what everybody on this server has. */
export function createExportEveryone(options: {
  db: Database;
  exports: Pick<Exports, "everything">;
  clock: Clock;
  version: string;
}) {
  const { db, exports, clock, version } = options;

  /**
   * The workspaces of people with an account, and those with threads: of guests, of people who are prepared, and of the
   * users of a backend.
   */
  async function listOwners(afterId: string) {
    return await db.read
      .selectFrom("workspaces")
      .leftJoin("users", (join) =>
        join.onRef("users.id", "=", "workspaces.name").on("workspaces.realm", "=", "own"),
      )
      .select([
        "workspaces.id",
        "workspaces.app_id",
        "workspaces.realm",
        "workspaces.name",
        "users.name as person_name",
        "users.email",
      ])
      .where("workspaces.id", ">", afterId)
      .where((is) =>
        is.or([
          is("users.joined_at", "is not", null),
          is.exists(
            is
              .selectFrom("threads")
              .select("threads.id")
              .whereRef("threads.workspace_id", "=", "workspaces.id"),
          ),
        ]),
      )
      .orderBy("workspaces.id")
      .limit(ownersPerPage)
      .execute();
  }

  async function* files(count: (exported: number) => void): AsyncGenerator<ArchiveFile> {
    const modified = new Date(clock.now());
    const manifest: ServerExportManifest = {
      format: serverExportFormat,
      version: exportVersion,
      exported_at: isoTime(clock.now()),
      program: { name: "Parlance", version },
      exports: [],
    };
    let afterId = "";
    for (;;) {
      const owners = await listOwners(afterId);
      for (const { id, realm, app_id: appId, name, person_name: personName, email } of owners) {
        const isOwn = realm === "own";
        const folder = isOwn ? "people" : "workspaces";
        const file = `${folder}/${ownerFileName(personName ?? (isOwn ? "" : name), isOwn ? name : id)}.zip`;
        const visitor = operatorVisitor({ id, realm, app_id: appId, name });
        // It is compressed already.
        yield { name: file, modified, isCompressed: true, chunks: () => exports.everything(visitor).chunks };
        manifest.exports.push({
          file,
          app_id: appId,
          user_id: isOwn ? name : null,
          workspace: isOwn ? null : name,
          name: personName,
          email,
        });
        count(manifest.exports.length);
      }
      if (owners.length < ownersPerPage) break;
      afterId = owners.at(-1)!.id;
    }
    yield { name: "manifest.json", modified, chunks: () => [pretty(manifest)] };
  }

  /** A zip with the export of each of them; see `docs/export-format.md`. `count` gets the number of those that are written. */
  return (count: (exported: number) => void): AsyncIterable<Uint8Array> => zipOf(files(count));
}
