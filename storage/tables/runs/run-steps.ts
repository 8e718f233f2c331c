import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** What runs sent and got, as evidence, if their app keeps it. */
export const runSteps = table("run_steps", {
  columns: {
    run_id: text().references("runs", "cascade"),
    /** The id of a request to a model, or `reply`. */
    item: text(),
    thread_id: text().references("threads", "cascade"),
    /** The body of the request as it was sent, or JSON of the reply with the ends of its steps. */
    content: text(),
    created_at: bigint(),
  },
  constraints: ["primary key (run_id, item)"],
  indexes: {
    run_steps_of_thread: "thread_id",
    run_steps_by_age: "created_at",
  },
  backup: "in backup",
  since: "0057-app-retention",
});
