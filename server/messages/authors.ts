import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import type { Asker } from "#contract/endpoints/thread-members.ts";
import type { Database } from "#storage/database/database.ts";
import { idsOf } from "#storage/database/portable-sql.ts";
import { pictureUrl } from "../people/profile/profiles.ts";
import { isOwnUser, type Visitor } from "../lib/route.ts";
import type { MessageRow } from "./rows.ts";

/** The assistants and models that wrote the answers of these runs, by run id. */
export type AuthorsOf = (appId: string, runIds: string[]) => Promise<ReadonlyMap<string, AnsweredBy>>;

/**
 * The author of each of these messages, by message id: from its run, or else from the import that stored it. Messages
 * with neither are left out.
 */
export async function authorsOfRows(
  authorsOf: AuthorsOf,
  appId: string,
  page: readonly Pick<MessageRow, "id" | "run_id" | "made_by">[],
): Promise<ReadonlyMap<string, AnsweredBy>> {
  const runIds = page.flatMap((row) => row.run_id ?? []);
  const ofRuns = await authorsOf(appId, runIds);
  return new Map(
    page.flatMap((row): [string, AnsweredBy][] => {
      const author = ofRuns.get(row.run_id ?? "") ?? importedAuthor(row);
      return author === undefined ? [] : [[row.id, author]];
    }),
  );
}

// An imported file can name any assistant's id, and its current name would tell which assistants this server has.
function importedAuthor({ made_by: text }: Pick<MessageRow, "made_by">): AnsweredBy | undefined {
  return text === null ? undefined : (JSON.parse(text) as AnsweredBy);
}

/** The people of this server, other than the reader, among those who wrote messages, by id. */
export async function askersOf(
  db: Database,
  visitor: Visitor,
  authorIds: readonly (string | null)[],
): Promise<ReadonlyMap<string | null, Asker>> {
  const ids = [...new Set(authorIds)].filter((id) => id !== null && id !== visitor.userId) as string[];
  if (ids.length === 0 || !isOwnUser(visitor)) return new Map();
  const people = await db.read
    .selectFrom("users")
    .leftJoin("profiles", "profiles.user_id", "users.id")
    .select(["id", "name", "email", "picture_id"])
    .where("id", "in", idsOf(db, ids))
    .execute();
  const found = new Map(people.map((person) => [person.id, person]));
  return new Map(
    ids.map((id) => {
      const { name = null, email = null, picture_id: picture = null } = found.get(id) ?? {};
      return [id, { user_id: id, name: name ?? email, picture_url: pictureUrl(picture) }];
    }),
  );
}
