import { roleOf } from "#server/people/accounts/roles.ts";
import { readGroupsOf } from "#server/people/rights/rows.ts";
import type { PersonInWorkspace, Rights } from "#server/people/rights/rights.ts";
import { findPlace } from "#server/people/users/rows.ts";
import type { Database } from "#storage/database/database.ts";
import type { ConfiguredServer } from "./configured-servers.ts";
import * as rows from "./rows.ts";

/** A tool server that somebody's assistants may call. */
export type UsableServer = {
  id: string;
  name: string;
  toolPrefix: string;
  trustsHints: boolean;
  /** Connections of another version are not used any more. */
  version: number;
} & ({ row: rows.ToolServerRow; command?: undefined } | { row?: undefined; command: ConfiguredServer });

export type UsableServers = ReturnType<typeof createUsableServers>;

/**
 * Which tool servers somebody may use. Guests, and users whom an app's backend names, have none: people who add a
 * server expect only those of this one.
 */
export function createUsableServers({
  db,
  rights,
  configured,
}: {
  db: Database;
  rights: Pick<Rights, "ofPerson">;
  configured: readonly ConfiguredServer[];
}) {
  async function of(person: PersonInWorkspace): Promise<UsableServer[]> {
    const stored = await rows.listServers(db.read, person.userId);
    // Most answers end here, so that they begin as fast as without tool servers.
    if (stored.length === 0 && configured.length === 0) return [];
    const [{ isOwn, user }, access, groups] = await Promise.all([
      findPlace(db.read, person.userId, person.workspaceId),
      rights.ofPerson(person),
      readGroupsOf(db.read, person.userId),
    ]);
    if (isOwn !== true || user === undefined || user.kind === "anonymous") return [];
    const isAdmin = ["owner", "admin"].includes(roleOf(user));
    const isUsable = ({ user_id, group_ids }: rows.ToolServerRow): boolean => {
      if (isAdmin) return true;
      if (user_id !== null) return access.has("tool-servers.add");
      return group_ids === null || (JSON.parse(group_ids) as string[]).some((id) => groups.includes(id));
    };
    return [
      ...configured.map((command) => ({ ...command, version: 0, command })),
      ...stored
        .filter((row) => row.is_on === 1 && isUsable(row))
        .map((row) => ({
          id: row.id,
          name: row.name,
          toolPrefix: row.tool_prefix,
          trustsHints: row.user_id === null && row.trusts_hints === 1,
          version: row.updated_at,
          row,
        })),
    ];
  }

  return {
    of,
    /** The server with this id; `undefined` if this person may not use it. */
    async find(person: PersonInWorkspace, id: string): Promise<UsableServer | undefined> {
      return (await of(person)).find((server) => server.id === id);
    },
  };
}
