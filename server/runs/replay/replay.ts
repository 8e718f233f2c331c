import { allows } from "#contract/accounts/permissions.ts";
import type { Reply } from "#contract/fold.ts";
import { isJsonObject, parseJson, type Json, type JsonObject } from "#contract/json.ts";
import type { Database } from "#storage/database/database.ts";
import { AppError } from "#server/lib/errors.ts";
import type { Visitor } from "#server/lib/route.ts";
import { findRequests } from "../receipt/rows.ts";
import * as runRows from "../rows.ts";
import { agUiEvents } from "./ag-ui-events.ts";
import { listKeptSteps, replyItem } from "./kept-steps.ts";

export type Replays = ReturnType<typeof createReplays>;

/** The steps of runs, for those who want to see what an answer was made from. Throws `run-steps-not-kept`. */
export function createReplays({ db }: { db: Database }) {
  async function replay(
    run: runRows.RunRow,
    mayReadInstructions: boolean,
  ): Promise<{ events: JsonObject[] }> {
    const kept = await listKeptSteps(db, run.id);
    const reply = kept.get(replyItem);
    // The models of a blind comparison are secret until the choice.
    if (reply === undefined || run.is_blind === 1) throw new AppError("run-steps-not-kept");
    const requests = (await findRequests(db, run))
      .filter((row) => row.run_id === run.id && row.purpose === "answer")
      .map((row) => {
        const body = kept.get(row.id);
        return { row, body: body === undefined || mayReadInstructions ? body : withoutInstructions(body) };
      });
    return { events: agUiEvents(run, JSON.parse(reply) as Reply, requests) };
  }

  return {
    /** Of a run that the visitor started. Throws `run-not-found`. */
    async getOwn(visitor: Visitor, runId: string) {
      const run = await runRows.findRun(db, visitor.workspaceId, runId);
      if (run === undefined || run.user_id !== visitor.userId) throw new AppError("run-not-found");
      return await replay(run, allows(visitor.role, "assistants.manage"));
    },

    /** Of a run that the caller may read. */
    async get(runId: string) {
      const run = await runRows.findRunAnywhere({ q: db.read }, runId);
      if (run === undefined) throw new AppError("run-not-found");
      return await replay(run, true);
    },
  };
}

/** The fields of all providers' requests that have the instructions. */
const instructionFields = ["system", "instructions", "systemInstruction", "system_instruction"];

/** The body without what administrators wrote into it. One that cannot be read is left out. */
function withoutInstructions(body: string): string | undefined {
  const request = parseJson(body);
  if (!isJsonObject(request)) return undefined;
  const isInstruction = (message: Json) =>
    isJsonObject(message) && (message["role"] === "system" || message["role"] === "developer");
  const fields = Object.entries(request)
    .filter(([name]) => !instructionFields.includes(name))
    .map(([name, value]) => [
      name,
      Array.isArray(value) ? value.filter((entry) => !isInstruction(entry)) : value,
    ]);
  return JSON.stringify(Object.fromEntries(fields));
}
