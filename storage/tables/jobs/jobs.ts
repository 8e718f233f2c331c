import { bigint, integer, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** Work in the background that one of the servers does, once or repeatedly. */
export const jobs = table("jobs", {
  since: "0056-jobs",
  columns: {
    /** The kind and what the job is about, so that nothing is waiting twice. */
    id: text().primaryKey(),
    kind: text(),
    /** JSON, without texts of people. */
    payload: text(),
    due_at: bigint(),
    /** How often it was begun. */
    attempts: integer(),
    /** The process that works on it. */
    lease_owner: text().nullable(),
    lease_expires_at: bigint().nullable(),
    /** It is deleted with each of these two. */
    thread_id: text().nullable().references("threads", "cascade"),
    workspace_id: text().nullable().references("workspaces", "cascade"),
    /** Whose work it is: it is deleted when they are erased. */
    user_id: text().nullable(),
  },
  withoutRowid: true,
  indexes: {
    jobs_by_due: "due_at",
    jobs_by_thread: { on: "thread_id", where: "thread_id is not null" },
    jobs_by_workspace: { on: "workspace_id", where: "workspace_id is not null" },
    jobs_by_user: { on: "user_id", where: "user_id is not null" },
  },
  // A restored server begins its own, and does not send the messages of the old one again.
  backup: "rebuilt",
});
