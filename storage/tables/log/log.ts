import { bigint, text } from "../../schema/column.ts";
import { table } from "../../schema/table.ts";

/** One row per topic (`run:<id>`, `workspace:<id>`): its newest number, and the newest pruned one. */
export const logTopics = table("log_topics", {
  columns: {
    topic: text().primaryKey(),
    last_seq: bigint(),
    pruned_seq: bigint(),
  },
  withoutRowid: true,
  fillFactor: 50,
  backup: "in backup",
});

export const logEntries = table("log_entries", {
  columns: {
    topic: text(),
    seq: bigint(),
    /** JSON. */
    body: text(),
    created_at: bigint(),
  },
  withoutRowid: true,
  constraints: ["primary key (topic, seq)"],
  backup: "in backup",
});
