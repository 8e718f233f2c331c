import type { Maker } from "#contract/endpoints/messages.ts";
import type { MessageRow } from "./rows.ts";

/** Who made the answers of these runs, by the run's id. */
export type MakersOf = (projectId: string, runIds: string[]) => Promise<ReadonlyMap<string, Maker>>;

/** Who made each of these messages, by its id: as its run tells, or as whoever brought it in told. Of others nothing. */
export async function makersOfRows(
  makersOf: MakersOf,
  projectId: string,
  page: MessageRow[],
): Promise<ReadonlyMap<string, Maker>> {
  const runIds = page.flatMap((row) => row.run_id ?? []);
  const ofRuns = await makersOf(projectId, runIds);
  return new Map(
    page.flatMap((row): [string, Maker][] => {
      const maker = ofRuns.get(row.run_id ?? "") ?? told(row);
      return maker === undefined ? [] : [[row.id, maker]];
    }),
  );
}

// No name is looked up for it: whoever names an assistant in a file learns nothing of those that are here.
function told({ made_by: text }: MessageRow): Maker | undefined {
  return text === null ? undefined : (JSON.parse(text) as Maker);
}
