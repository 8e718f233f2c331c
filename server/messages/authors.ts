import type { AnsweredBy } from "#contract/endpoints/messages.ts";
import type { MessageRow } from "./rows.ts";

/** The assistants and models that wrote the answers of these runs, by run id. */
export type AuthorsOf = (projectId: string, runIds: string[]) => Promise<ReadonlyMap<string, AnsweredBy>>;

/**
 * The author of each of these messages, by message id: from its run, or else from the import that stored it. Messages
 * with neither are left out.
 */
export async function authorsOfRows(
  authorsOf: AuthorsOf,
  projectId: string,
  page: MessageRow[],
): Promise<ReadonlyMap<string, AnsweredBy>> {
  const runIds = page.flatMap((row) => row.run_id ?? []);
  const ofRuns = await authorsOf(projectId, runIds);
  return new Map(
    page.flatMap((row): [string, AnsweredBy][] => {
      const author = ofRuns.get(row.run_id ?? "") ?? importedAuthor(row);
      return author === undefined ? [] : [[row.id, author]];
    }),
  );
}

// Does not look up the assistant's name: naming an assistant in an imported file must not reveal one of this server.
function importedAuthor({ made_by: text }: MessageRow): AnsweredBy | undefined {
  return text === null ? undefined : (JSON.parse(text) as AnsweredBy);
}
